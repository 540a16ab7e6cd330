//! The harness inside a program: which functions are operations, and what they take and answer.
//!
//! The macros of `trueline.h` put functions into sections of their own; the symbol table says which they are, and the
//! debug information their names and types.

use std::borrow::Cow;
use std::path::Path;

use gimli::{AttributeValue, DwAt, EndianSlice, LittleEndian, UnitOffset, constants as dw};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
type Unit<'a> = gimli::Unit<Slice<'a>>;
type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// A type that arguments and results can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// Nothing.
    Void,
    /// A truth value.
    Bool,
    /// An integer or enum: bytes, and whether it has a sign.
    Integer(u8, bool),
}

impl ScalarType {
    /// The bits of a register that mean something.
    pub fn mask(self) -> u64 {
        match self {
            ScalarType::Void => 0,
            ScalarType::Bool => 0xff,
            ScalarType::Integer(size, _) => u64::MAX >> (64 - 8 * u32::from(size.clamp(1, 8))),
        }
    }
}

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ScalarType,
    /// Whether it is a pointer or reference through which the operation answers.
    pub output: bool,
}

/// An operation of the harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its line.
    pub line: u32,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its result.
    pub result: ScalarType,
}

/// The functions of a harness.
#[derive(Clone, Debug, Default)]
pub struct Harness {
    /// The operations, in the order of their lines.
    pub operations: Vec<Function>,
    /// `TL_INIT`
    pub init: u64,
    /// `TL_DONE`
    pub done: u64,
    /// `TL_CHECK`
    pub check: u64,
    /// `TL_SPEC`
    pub spec: Option<String>,
}

/// What is said of a program without operations.
pub const NO_OPERATION: &str =
    "the file has no operation: mark the functions to be called with TL_OP of <trueline.h>";

/// Reads the harness of an executable.
pub fn read(program: &Path) -> Result<Harness, String> {
    let bytes = std::fs::read(program).map_err(|e| format!("{}: {e}", program.display()))?;
    let file = object::File::parse(&*bytes).map_err(|e| format!("the program cannot be read: {e}"))?;
    let marked = |section: &str| -> Vec<u64> {
        let Some(index) = file.section_by_name(section).map(|s| s.index()) else { return Vec::new() };
        let mut all: Vec<u64> = file
            .symbols()
            .filter(|s| s.section_index() == Some(index) && s.kind() == SymbolKind::Text)
            .map(|s| s.address())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let one = |section: &str, name: &str| match marked(section).as_slice() {
        [] => Ok(0),
        [one] => Ok(*one),
        _ => Err(format!("there is more than one {name} function, or more than one object")),
    };
    let mut harness = Harness {
        init: one("tl_init", "TL_INIT")?,
        done: one("tl_done", "TL_DONE")?,
        check: one("tl_check", "TL_CHECK")?,
        ..Harness::default()
    };
    if let Some(section) = file.section_by_name("tl_spec") {
        let data = section.data().unwrap_or_default();
        let text = data.split(|b| *b == 0).find(|t| !t.is_empty()).unwrap_or_default();
        harness.spec = Some(String::from_utf8_lossy(text).into_owned());
    }
    let operations = marked("tl_op");
    if operations.is_empty() {
        return Err(NO_OPERATION.into());
    }
    let load = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
        Ok(data.unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load).map_err(|e| format!("debug information: {e}"))?;
    let dwarf = sections.borrow(|s| EndianSlice::new(s, LittleEndian));
    harness.operations = functions(&dwarf, &operations).map_err(|e| match e {
        Problem::Dwarf(e) => format!("the debug information cannot be read: {e}"),
        Problem::Type(text) => text,
    })?;
    harness.operations.sort_by_key(|f| (f.line, f.address));
    match harness.operations.len() == operations.len() {
        true => Ok(harness),
        false => Err("an operation has no debug information; is -g0 among the compiler's flags?".into()),
    }
}

enum Problem {
    Dwarf(gimli::Error),
    Type(String),
}

impl From<gimli::Error> for Problem {
    fn from(e: gimli::Error) -> Problem {
        Problem::Dwarf(e)
    }
}

fn functions(dwarf: &Dwarf<'_>, wanted: &[u64]) -> Result<Vec<Function>, Problem> {
    let mut found: Vec<Function> = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        let mut offsets = Vec::new();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() == dw::DW_TAG_subprogram
                && let Some(attribute) = entry.attr(dw::DW_AT_low_pc)
                && let Some(address) = dwarf.attr_address(&unit, attribute.value())?
                && wanted.contains(&address)
            {
                offsets.push((address, entry.offset()));
            }
        }
        for (address, offset) in offsets {
            if !found.iter().any(|f| f.address == address) {
                found.push(function(dwarf, &unit, address, offset)?);
            }
        }
    }
    Ok(found)
}

fn reference(entry: &Entry<'_>, name: DwAt) -> Option<UnitOffset> {
    match entry.attr(name)?.value() {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// An attribute of an entry or of what it stands for.
fn inherited<'a>(unit: &Unit<'a>, entry: &Entry<'a>, name: DwAt) -> Result<Option<Entry<'a>>, gimli::Error> {
    let mut entry = entry.clone();
    for _ in 0..8 {
        if entry.attr(name).is_some() {
            return Ok(Some(entry));
        }
        let next = reference(&entry, dw::DW_AT_abstract_origin)
            .or_else(|| reference(&entry, dw::DW_AT_specification));
        match next {
            Some(offset) => entry = unit.entry(offset)?,
            None => return Ok(None),
        }
    }
    Ok(None)
}

fn name_of<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, entry: &Entry<'a>) -> Result<String, gimli::Error> {
    let Some(holder) = inherited(unit, entry, dw::DW_AT_name)? else { return Ok(String::new()) };
    let Some(attribute) = holder.attr(dw::DW_AT_name) else { return Ok(String::new()) };
    Ok(dwarf.attr_string(unit, attribute.value())?.to_string_lossy().into_owned())
}

fn function<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<'a>,
    address: u64,
    offset: UnitOffset,
) -> Result<Function, Problem> {
    let entry = unit.entry(offset)?;
    let name = name_of(dwarf, unit, &entry)?;
    let line = inherited(unit, &entry, dw::DW_AT_decl_line)?
        .and_then(|e| e.attr(dw::DW_AT_decl_line).and_then(|a| a.udata_value()))
        .unwrap_or(0) as u32;
    let result = match inherited(unit, &entry, dw::DW_AT_type)? {
        None => ScalarType::Void,
        Some(holder) => match kind(unit, reference(&holder, dw::DW_AT_type))? {
            Some((kind, false)) => kind,
            _ => return Err(wrong(&name, "its result")),
        },
    };
    let mut parameters = Vec::new();
    let mut children = unit.entries_at_offset(offset)?;
    children.next_dfs()?;
    while let Some(child) = children.next_dfs()? {
        if child.depth() <= 0 {
            break;
        }
        if child.depth() != 1 || child.tag() != dw::DW_TAG_formal_parameter {
            continue;
        }
        let child = child.clone();
        let called = name_of(dwarf, unit, &child)?;
        let holder = inherited(unit, &child, dw::DW_AT_type)?;
        let at = holder.and_then(|h| reference(&h, dw::DW_AT_type));
        match kind(unit, at)? {
            Some((kind, output)) if kind != ScalarType::Void => {
                parameters.push(Parameter { name: called, kind, output });
            }
            _ => return Err(wrong(&name, &format!("its parameter `{called}`"))),
        }
    }
    let outputs = parameters.iter().filter(|p| p.output).count();
    if parameters.len() > 6 || outputs > 4 {
        return Err(Problem::Type(format!(
            "the operation `{name}` has more than six parameters or four outputs"
        )));
    }
    Ok(Function { name, address, line, parameters, result })
}

fn wrong(function: &str, what: &str) -> Problem {
    Problem::Type(format!(
        "the operation `{function}`: {what} is no integer, bool or enum, nor a pointer or reference to one"
    ))
}

/// What a type is, and whether it is behind a pointer or reference.
fn kind(unit: &Unit<'_>, offset: Option<UnitOffset>) -> Result<Option<(ScalarType, bool)>, gimli::Error> {
    let (mut at, mut behind) = (offset, false);
    for _ in 0..32 {
        let Some(offset) = at else { return Ok((!behind).then_some((ScalarType::Void, false))) };
        let entry = unit.entry(offset)?;
        match entry.tag() {
            dw::DW_TAG_typedef | dw::DW_TAG_const_type | dw::DW_TAG_volatile_type => {
                at = reference(&entry, dw::DW_AT_type);
            }
            dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                if behind {
                    return Ok(None);
                }
                (at, behind) = (reference(&entry, dw::DW_AT_type), true);
            }
            dw::DW_TAG_base_type | dw::DW_TAG_enumeration_type => {
                let size = entry.attr(dw::DW_AT_byte_size).and_then(|a| a.udata_value()).unwrap_or(4) as u8;
                let encoding = match entry.attr(dw::DW_AT_encoding).map(|a| a.value()) {
                    Some(AttributeValue::Encoding(encoding)) => encoding,
                    _ => dw::DW_ATE_signed,
                };
                return Ok(match encoding {
                    dw::DW_ATE_boolean => Some((ScalarType::Bool, behind)),
                    dw::DW_ATE_signed | dw::DW_ATE_signed_char => {
                        Some((ScalarType::Integer(size, true), behind))
                    }
                    dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char => {
                        Some((ScalarType::Integer(size, false), behind))
                    }
                    _ => None,
                }
                .filter(|_| size <= 8));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}
