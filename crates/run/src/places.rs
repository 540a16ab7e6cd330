//! Places in the code and names of memory, from the debug information.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gimli::{AttributeValue, EndianSlice, LittleEndian, UnitOffset, constants as dw};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
}

/// Where the harness of Rust objects is.
const HARNESS: &str = "/crates/object/src/";
/// Where the types are that Rust objects without instrumentation use.
const SHIM: &str = "/crates/shim/src/";

/// What of the C++ library is built with a program, as it is named there.
const LIBRARY: &str = "/trueline-library.cpp";

/// Whether a file is what the tool itself puts around an object.
fn of_tool(file: &str) -> bool {
    file.contains(HARNESS) || file.contains(SHIM) || file.ends_with(LIBRARY)
}

/// Whether a file belongs to the system or to the tool, and says nothing of the object: headers, Rust's library.
fn of_system(file: &str) -> bool {
    file.starts_with("/usr/")
        || file.starts_with("/rustc/")
        || file.contains("/rustlib/src/")
        || of_tool(file)
}

/// A variable: name, address, bytes, type.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    address: u64,
    size: u64,
    kind: String,
}

/// Looks up places and names.
pub struct Places {
    loader: addr2line::Loader,
    sources: HashMap<PathBuf, Vec<String>>,
    known: HashMap<u64, Place>,
    variables: Vec<Variable>,
    /// Members of structs: offset and name.
    structs: HashMap<String, Vec<(u64, String)>>,
}

impl Places {
    /// Of a program.
    pub fn of(program: &Path) -> Result<Places, String> {
        let loader = addr2line::Loader::new(program).map_err(|e| format!("debug information: {e}"))?;
        let bytes = std::fs::read(program).map_err(|e| e.to_string())?;
        let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
        let mut variables: Vec<Variable> = file
            .symbols()
            .filter(|s| s.kind() == SymbolKind::Data && s.size() > 0)
            .filter_map(|s| {
                let name = demangled(s.name().ok()?);
                Some(Variable { name, address: s.address(), size: s.size(), kind: String::new() })
            })
            .collect();
        let mut structs = HashMap::new();
        // Without types the names are only less telling.
        let _ = types(&file, &mut variables, &mut structs);
        Ok(Places { loader, sources: HashMap::new(), known: HashMap::new(), variables, structs })
    }

    /// The place of a return address: the innermost frame outside of the system's headers.
    pub fn place(&mut self, address: u64) -> Place {
        if let Some(place) = self.known.get(&address) {
            return place.clone();
        }
        let mut found: Option<(String, u32)> = None;
        let mut any: Option<(String, u32)> = None;
        if let Ok(mut frames) = self.loader.find_frames(address.saturating_sub(1)) {
            while let Ok(Some(frame)) = frames.next() {
                let Some(location) = frame.location else { continue };
                let (Some(file), Some(line)) = (location.file, location.line) else { continue };
                // Nor does a line help that nobody can look up.
                if !of_tool(file) && !file.starts_with("/rustc/") {
                    any.get_or_insert((file.to_string(), line));
                }
                if !of_system(file) && found.is_none() {
                    found = Some((file.to_string(), line));
                }
            }
        }
        let (file, line) = found.or(any).unwrap_or_default();
        let text = self.line(Path::new(&file), line);
        let place = Place { file, line, text };
        self.known.insert(address, place.clone());
        place
    }

    /// The first place outside of the system's headers, of an access and the calls around it.
    pub fn outside(&mut self, address: u64, frames: &[u64]) -> Place {
        let here = self.place(address);
        if !of_system(&here.file) && here.line > 0 {
            return here;
        }
        let around = frames.iter().map(|f| self.place(*f)).find(|p| !of_system(&p.file) && p.line > 0);
        around.unwrap_or(here)
    }

    fn line(&mut self, file: &Path, line: u32) -> String {
        let lines = self.sources.entry(file.to_path_buf()).or_insert_with(|| {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            text.lines().map(|l| l.trim().to_string()).collect()
        });
        lines.get((line as usize).wrapping_sub(1)).cloned().unwrap_or_default()
    }

    /// The name of a global at an address, with the member or offset.
    pub fn global(&self, address: u64) -> Option<String> {
        let v = self.variables.iter().find(|v| (v.address..v.address + v.size).contains(&address))?;
        Some(format!("{}{}", v.name, self.member(&v.kind, address - v.address)))
    }

    /// `.next` for an offset into a struct, `+8` where the struct is not known.
    pub fn member(&self, kind: &str, offset: u64) -> String {
        let members = self.structs.get(kind);
        let found = members.and_then(|m| m.iter().rev().find(|(at, _)| *at <= offset));
        match found {
            Some((at, name)) if *at == offset => format!(".{name}"),
            Some((at, name)) => format!(".{name}+{}", offset - at),
            None if offset == 0 => String::new(),
            None => format!("+{offset}"),
        }
    }

    /// The type that a line allocates, such as `Node` in `new Node{v}`, `malloc(sizeof(struct Node))` or
    /// `Box::new(Node { v })`.
    pub fn allocated(&mut self, address: u64, calls: &[u64]) -> String {
        let here = self.outside(address, calls);
        let mut around = [address].into_iter().chain(calls.iter().copied()).map(|a| self.place(a).file);
        if around.find(|f| !f.starts_with("/rustc/") && !f.is_empty()).is_some_and(|f| f.contains(HARNESS)) {
            return "object".into();
        }
        let text = here.text;
        let after = |key: &str| {
            let rest = text.split(key).nth(1)?.trim_start_matches(['(', ' ', '*']);
            let rest = rest.strip_prefix("struct ").unwrap_or(rest);
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:<>".contains(c))).unwrap_or(rest.len());
            Some(rest[..end].to_string()).filter(|n| !n.is_empty())
        };
        after("new ").or_else(|| after("sizeof")).or_else(|| after("Box::new")).unwrap_or_default()
    }
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

fn types(
    file: &object::File<'_>,
    variables: &mut [Variable],
    structs: &mut HashMap<String, Vec<(u64, String)>>,
) -> Result<(), gimli::Error> {
    let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        Ok(file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load)?;
    let dwarf = sections.borrow(|s| EndianSlice::new(s, LittleEndian));
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut inside: Option<(isize, String)> = None;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let name = match entry.attr(dw::DW_AT_name) {
                Some(a) => dwarf.attr_string(&unit, a.value())?.to_string_lossy().into_owned(),
                None => String::new(),
            };
            if inside.as_ref().is_some_and(|(depth, _)| entry.depth() <= *depth) {
                inside = None;
            }
            match entry.tag() {
                dw::DW_TAG_structure_type | dw::DW_TAG_class_type if !name.is_empty() => {
                    inside = Some((entry.depth(), name));
                }
                dw::DW_TAG_member => {
                    let offset = entry.attr(dw::DW_AT_data_member_location).and_then(|a| a.udata_value());
                    if let (Some((depth, holder)), Some(offset)) = (&inside, offset)
                        && entry.depth() == depth + 1
                    {
                        let members = structs.entry(holder.clone()).or_default();
                        if !members.iter().any(|m| m.0 == offset) {
                            members.push((offset, name));
                        }
                    }
                }
                dw::DW_TAG_variable => {
                    let at = match entry.attr(dw::DW_AT_location).map(|a| a.value()) {
                        Some(AttributeValue::Exprloc(e)) => address(&dwarf, &unit, e),
                        _ => None,
                    };
                    if let Some(variable) = variables.iter_mut().find(|v| Some(v.address) == at) {
                        let kind = match entry.attr(dw::DW_AT_type).map(|a| a.value()) {
                            Some(AttributeValue::UnitRef(offset)) => type_name(&dwarf, &unit, offset)?,
                            _ => String::new(),
                        };
                        variable.kind = kind;
                        if !name.is_empty() {
                            variable.name = name;
                        }
                    }
                }
                _ => {}
            }
        }
    }
    for members in structs.values_mut() {
        members.sort();
    }
    Ok(())
}

/// A symbol as its source names it. Names of C are not mangled, although some would mean something: `n` is a type of C++.
fn demangled(symbol: &str) -> String {
    match symbol.starts_with("_Z") || symbol.starts_with("_R") {
        true => addr2line::demangle_auto(symbol.into(), None).into_owned(),
        false => symbol.to_string(),
    }
}

/// The address of a variable that is at a fixed one; since DWARF 5 it may be in a table.
fn address(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    expression: gimli::Expression<Slice<'_>>,
) -> Option<u64> {
    match expression.operations(unit.encoding()).next().ok()?? {
        gimli::Operation::Address { address } => Some(address),
        gimli::Operation::AddressIndex { index } => dwarf.address(unit, index).ok(),
        _ => None,
    }
}

fn type_name(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &gimli::Unit<Slice<'_>>,
    offset: UnitOffset,
) -> Result<String, gimli::Error> {
    let mut at = offset;
    for _ in 0..16 {
        let entry = unit.entry(at)?;
        match (entry.tag(), entry.attr(dw::DW_AT_type).map(|a| a.value())) {
            (
                dw::DW_TAG_typedef | dw::DW_TAG_const_type | dw::DW_TAG_volatile_type,
                Some(AttributeValue::UnitRef(next)),
            ) => {
                at = next;
            }
            (dw::DW_TAG_structure_type | dw::DW_TAG_class_type, _) => {
                return match entry.attr(dw::DW_AT_name) {
                    Some(a) => Ok(dwarf.attr_string(unit, a.value())?.to_string_lossy().into_owned()),
                    None => Ok(String::new()),
                };
            }
            _ => return Ok(String::new()),
        }
    }
    Ok(String::new())
}

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn names_of_c_are_left_alone() {
        assert_eq!([demangled("n"), demangled("i"), demangled("top")], ["n", "i", "top"]);
        assert_eq!(demangled("_ZL5stack"), "stack");
    }
}
