//! Lists without repetitions, most of them in the order in which their elements come: for few elements, and where what is made of them is in this order.
//! Sequences that grow element by element.

/// Adds an element, unless the list has it.
pub fn add_new<T: PartialEq>(list: &mut Vec<T>, element: T) {
    if !list.contains(&element) {
        list.push(element);
    }
}

/// Adds those elements that the list does not have.
pub fn extend_new<T: PartialEq>(list: &mut Vec<T>, elements: impl IntoIterator<Item = T>) {
    for element in elements {
        add_new(list, element);
    }
}

/// The elements in order, without repetitions.
pub fn sorted<T: Ord>(elements: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = elements.into_iter().collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The place of an element, which is added if the list does not have it.
pub fn place_of<T: PartialEq>(list: &mut Vec<T>, element: T) -> usize {
    list.iter().position(|known| *known == element).unwrap_or_else(|| {
        list.push(element);
        list.len() - 1
    })
}

/// Adds an element, unless one of the list is `within` it; leaves out those that it is within.
pub fn add_least<T>(list: &mut Vec<T>, element: T, within: impl Fn(&T, &T) -> bool) {
    if !list.iter().any(|known| within(known, &element)) {
        list.retain(|known| !within(&element, known));
        list.push(element);
    }
}

/// Whether each element of a list is in another one.
pub fn is_part<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    part.iter().all(|it| whole.contains(it))
}

/// Whether no element is there twice.
pub fn are_different<T: PartialEq>(list: &[T]) -> bool {
    (1..list.len()).all(|at| !list[..at].contains(&list[at]))
}

/// All sequences of `length` elements, each of which is one of the `next` ones after those before it, in this order. They are made one by one.
pub fn sequences<T: Clone>(length: usize, next: impl Fn(&[T]) -> Vec<T>) -> impl Iterator<Item = Vec<T>> {
    let mut open: Vec<Vec<T>> = vec![Vec::new()];
    std::iter::from_fn(move || {
        loop {
            let known = open.pop()?;
            if known.len() == length {
                return Some(known);
            }
            open.extend(next(&known).into_iter().rev().map(|it| [&known[..], &[it]].concat()));
        }
    })
}
