//! The catalog inside a built program, read without running it (D4).

use aon::catalog::{Catalog, section};
use object::{File, Object, ObjectSection};

/// The catalog of the program in `bytes`: ELF, Mach-O or PE.
pub(crate) fn catalog(bytes: &[u8]) -> Result<Catalog, String> {
    let file = File::parse(bytes).map_err(|error| error.to_string())?;
    let names = [section::NAME, section::NAME_MACHO, section::NAME_PE];
    let (mut records, mut said) = (Vec::new(), Vec::new());
    let mut found = false;
    for part in file.sections() {
        if !part.name().is_ok_and(|name| names.contains(&name)) {
            continue;
        }
        found = true;
        let data = part
            .uncompressed_data()
            .map_err(|error| error.to_string())?;
        records.extend(section::records(&data));
        said.extend(section::namespaces(&data));
    }
    if !found {
        return Err("none of its error types derives Problem".to_owned());
    }
    let said = said.iter();
    let namespace = section::of_program(said.map(|said| (&*said.namespace, &*said.urn, said.rank)));
    Ok(Catalog::from_records(records).in_namespace(&namespace))
}
