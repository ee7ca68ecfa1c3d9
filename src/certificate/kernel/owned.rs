//! That owners are processes, in terms that the Gallina checker knows: each has a count of the processes that it is, and one more cube
//! says that while the global of the owner holds its value, this count is not 0.

use std::borrow::Cow;

use crate::cubes::Cubes;
use crate::ground::Overflow;
use crate::obligation::Obligation;
use crate::owners::is_first;
use cubicle_lang::model::{Cell, Dnf, Linear, Literal, Rational, Relation, System};
use cubicle_run::verdict::Forbidden;

/// The system with these counts, and the cubes with those about them, after the others that are to be shown.
pub fn counted<'c>(extended: System, cubes: &'c Cubes) -> Result<(System, Cow<'c, Cubes>), Overflow> {
    if cubes.owners.is_empty() {
        return Ok((extended, Cow::Borrowed(cubes)));
    }
    let (mut more, mut parts) = (cubes.clone(), extended.to_parts());
    for (number, owner) in cubes.owners.iter().enumerate() {
        let is = is_first(cubes.owner(&extended, number));
        let body = Dnf(vec![vec![is]]);
        let var = parts.counted(0, body, None, parts.init.span).ok_or(Overflow)?;
        let expr = Linear {
            terms: vec![(Cell { var, index: std::iter::empty().collect() }, Rational::ONE)],
            constant: Rational::ZERO,
        };
        let none = Literal::Linear { expr, relation: Relation::Le, integer: true };
        more.all.insert(more.proved, Forbidden { params: 0, cube: vec![owner.held(), none] });
        more.proved += 1;
    }
    Ok((System::new(parts), Cow::Owned(more)))
}

/// The obligation of the certificate that one about these cubes is.
pub fn original(obligation: Obligation, cubes: &Cubes) -> Obligation {
    let added = cubes.proved..cubes.proved + cubes.owners.len();
    let before = |cube: usize| if cube < added.end { cube } else { cube - added.len() };
    match obligation {
        Obligation::Initiation(cube) | Obligation::Consecution { cube, .. } if added.contains(&cube) => {
            Obligation::Owner(cube - added.start)
        }
        Obligation::Initiation(cube) => Obligation::Initiation(before(cube)),
        Obligation::Consecution { transition, cube } => {
            Obligation::Consecution { transition, cube: before(cube) }
        }
        other => other,
    }
}
