//! Any bytes where a process of a cluster listens, or where it calls: they are refused.
#![no_main]

use std::io::{Cursor, Read, Result, Write};

use cubicle::cluster::{Agreement, Claim, Kind, Secret, initiate, respond};
use libfuzzer_sys::fuzz_target;

/// A connection on which this was said, and nobody listens.
struct Said<'a>(Cursor<&'a [u8]>);

impl Read for Said<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Said<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

fuzz_target!(|said: &[u8]| {
    let agreement = Agreement::new([("the model".to_owned(), "a".to_owned())]);
    let claim = Claim { from: 1, to: 0, kind: Kind::States };
    for secret in [Secret::none(), Secret::new(b"a secret that nobody guesses").expect("it is long enough")] {
        let mut whole = b"cubicle2".to_vec();
        whole.extend(said);
        for bytes in [said, &whole] {
            assert!(respond(&mut Said(Cursor::new(bytes)), &secret, 0, &agreement).is_err());
            assert!(initiate(&mut Said(Cursor::new(bytes)), &secret, claim, &agreement).is_err());
        }
    }
    // What a process that knows the secret says is no reason to panic either.
    let _ = agreement.difference(&Agreement::of_bytes(said));
});
