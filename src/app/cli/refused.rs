//! What belongs to the report of a bug: a model, and the proof about it that the checker refuses.

use std::path::PathBuf;

use cubicle_certificate::INVARIANTS;

use super::failure::Failure;
use super::files;
use super::run_dir::RunDir;

/// Writes the text of the model, and what the checker refused, to the folder of the run or a new one among the temporary files of the system. The
/// error says where they are; there is none when nothing was refused.
pub fn keep(model: &str, refused: &[String], run_dir: Option<&RunDir>) -> Result<(), Failure> {
    if refused.is_empty() {
        return Ok(());
    }
    let folder = match run_dir {
        Some(run_dir) => run_dir.refused(),
        None => temporary()?,
    };
    files::make_folder(&folder)?;
    files::write(&folder.join("model.cub"), model)?;
    for (number, invariants) in (1..).zip(refused) {
        files::write(&files::numbered(&folder.join(INVARIANTS), number), invariants)?;
    }
    Err(Failure::internal(format!(
        "internal error: the checker refuses a proof that the engines found. This is a bug of cubicle, not of your model. Please report it \
         with the files in {}",
        folder.display()
    )))
}

/// A new folder, which stays.
fn temporary() -> Result<PathBuf, Failure> {
    let made = tempfile::Builder::new().prefix("cubicle-refused-").tempdir();
    made.map(tempfile::TempDir::keep).map_err(|error| {
        Failure::internal(format!(
            "the checker refuses a proof, and no folder can be made for a report: {error}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_is_written_and_the_error_says_where() {
        assert_eq!(keep("var X : bool", &[], None), Ok(()));
        let refused = ["invariant () { X = True }".to_owned(), "owner".to_owned()];
        let failure = keep("var X : bool", &refused, None).unwrap_err();
        assert_eq!(failure.code, 4);
        assert!(failure.error.contains("bug of cubicle"), "{failure}");
        let folder = PathBuf::from(failure.error.split(" with the files in ").nth(1).expect("a path"));
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(text("model.cub"), "var X : bool");
        assert_eq!(text("invariants.cub"), refused[0]);
        assert_eq!(text("invariants.2.cub"), refused[1]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
