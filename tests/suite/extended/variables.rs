//! Random declarations of variables.

use super::model::{Full, Over, Queue, SORTS, Sort, Ty, Var};
use crate::support::dice::Dice;

fn queue(dice: &mut Dice) -> Queue {
    let full = *dice.pick(&[Full::Blocks, Full::Drops, Full::Fails]);
    Queue { capacity: 1 + dice.below(2), full, lossy: dice.chance(30), duplicating: dice.chance(20) }
}

pub fn variables(dice: &mut Dice, slot: Ty, sorted: bool, wide: Ty, pointers: Option<Sort>) -> Vec<Var> {
    let message = vec![("kind", Ty::Kind), ("num", Ty::Range(0, 2))];
    let alone = |ty| vec![("", ty)];
    let mut vars = Vec::new();
    // What follows `[`, with another sort of processes where there are sorts.
    let over = |dice: &mut Dice| {
        let sort = if sorted { dice.below(SORTS.len()) } else { 0 };
        (if sorted { SORTS[sort] } else { "proc" }, Over::Process(sort))
    };
    let mut add = |dice: &mut Dice,
                   percent: usize,
                   name: &str,
                   declared: String,
                   index: Vec<Over>,
                   fields: Vec<(&'static str, Ty)>,
                   queue: Option<Queue>| {
        if dice.chance(percent) {
            vars.push(Var { name: name.to_owned(), declared, index, fields, queue });
        }
    };
    add(dice, 40, "Glob", "var Glob : kind".into(), vec![], alone(Ty::Kind), None);
    add(dice, 60, "Num", "var Num : slot".into(), vec![], alone(slot), None);
    add(dice, 30, "Other", "var Other : 0..3".into(), vec![], alone(Ty::Range(0, 3)), None);
    let Ty::Range(_, most) = wide else { unreachable!("a range") };
    add(dice, 25, "Wide", format!("var Wide : 0..{most}"), vec![], alone(wide), None);
    add(dice, 40, "Rec", "var Rec : msg".into(), vec![], message.clone(), None);
    let ((own, of_own), (other, of_other)) = (over(dice), over(dice));
    add(dice, 100, "At", format!("array At[{own}] : kind"), vec![of_own], alone(Ty::Kind), None);
    add(dice, 50, "Tick", format!("array Tick[{own}] : slot"), vec![of_own], alone(slot), None);
    add(
        dice,
        35,
        "Seen",
        format!("array Seen[{own}, slot] : bool"),
        vec![of_own, Over::Value(slot)],
        alone(Ty::Bool),
        None,
    );
    add(dice, 30, "Table", "array Table[kind] : slot".into(), vec![Over::Value(Ty::Kind)], alone(slot), None);
    add(dice, 30, "Own", format!("array Own[{other}] : msg"), vec![of_other], message.clone(), None);
    add(
        dice,
        20,
        "Pair",
        format!("array Pair[{own}, {other}] : slot"),
        vec![of_own, of_other],
        alone(slot),
        None,
    );
    add(dice, 10, "Far", format!("array Far[{other}] : 0..{most}"), vec![of_other], alone(wide), None);
    let first = queue(dice);
    add(
        dice,
        30,
        "Box",
        format!("channel Box[{other}] : msg[{}] {}", first.capacity, first.words()),
        vec![of_other],
        message.clone(),
        Some(first),
    );
    let second = queue(dice);
    add(
        dice,
        30,
        "Line",
        format!("channel Line : kind[{}] {}", second.capacity, second.words()),
        vec![],
        alone(Ty::Kind),
        Some(second),
    );
    let third = queue(dice);
    add(
        dice,
        15,
        "Post",
        format!("channel Post[slot] : msg[{}] {}", third.capacity, third.words()),
        vec![Over::Value(slot)],
        message,
        Some(third),
    );
    let Some(sort) = pointers else { return vars };
    let of = if sorted { SORTS[sort] } else { "proc" };
    let pointer = || alone(Ty::Pointer(sort));
    let link = vec![("num", Ty::Range(0, 2)), ("next", Ty::Pointer(sort))];
    let mut add =
        |dice: &mut Dice, percent: usize, name: &str, text: &str, index: Vec<Over>, fields, queue| {
            if dice.chance(percent) {
                vars.push(Var { name: name.to_owned(), declared: text.to_owned(), index, fields, queue });
            }
        };
    add(dice, 90, "Ptr", &format!("var Ptr : {of} or nil"), vec![], pointer(), None);
    add(dice, 30, "Tail", &format!("var Tail : {of} or nil"), vec![], pointer(), None);
    add(dice, 40, "Next", &format!("array Next[{own}] : {of} or nil"), vec![of_own], pointer(), None);
    add(dice, 15, "Last", "var Last : link", vec![], link.clone(), None);
    add(dice, 25, "Node", &format!("array Node[{other}] : link"), vec![of_other], link.clone(), None);
    // With sorts, places without a message keep the processes that they hold.
    if !sorted {
        let queue = queue(dice);
        let declared = format!("channel Wire[proc] : link[{}] {}", queue.capacity, queue.words());
        add(dice, 30, "Wire", &declared, vec![of_other], link, Some(queue));
    }
    vars
}
