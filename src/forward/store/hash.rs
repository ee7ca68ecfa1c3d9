//! Hashes of packed states.

/// Multiply-and-fold hash of a packed state.
#[inline]
pub fn hash(state: &[u64]) -> u64 {
    let mut h: u64 = 0x243f_6a88_85a3_08d3;
    for &word in state {
        let product = u128::from(word ^ h) * u128::from(0x9e37_79b9_7f4a_7c15u64);
        h = (product as u64) ^ ((product >> 64) as u64) ^ h.rotate_left(29);
    }
    let product = u128::from(h ^ 0xa409_3822_299f_31d0) * u128::from(0xd6e8_feb8_6659_fd93u64);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Whether two states are equal. Short slices are compared faster like this than by a call.
#[inline]
pub fn equal(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}
