//! Pages of HTML that open without server or network, and their pieces: hand-written style sheets and scripts. The
//! scripts build every element from data, so that no name or source text is read as markup. The caller decides what a
//! page shows.

mod budget;
mod count;
mod policy;
mod tables;

use crate::escape::{embedded_json, markup};

pub use budget::{Budget, clipped, number_size, text_size};
pub use count::{Count, column};
pub use policy::{base64, content_digest};
pub use tables::{ColumnKind, PageTable, TablesPage};

/// A page around styles, data and scripts.
const PAGE: &str = include_str!("page/page.html");

/// Colours, type and layout of every page.
pub const BASE_STYLE: &str = include_str!("page/base.css");
/// How tables look.
pub const TABLE_STYLE: &str = include_str!("page/tables.css");
/// How a flame graph looks beside its canvas.
pub const FLAME_STYLE: &str = include_str!("page/flame.css");
/// How sources with counts look.
pub const SOURCE_STYLE: &str = include_str!("page/source.css");

/// Numbers and names as texts.
pub const TEXT: &str = include_str!("page/text.js");
/// Light and dark.
pub const THEME: &str = include_str!("page/theme.js");
/// Elements built from data.
pub const ELEMENTS: &str = include_str!("page/elements.js");
/// Tables that can be sorted and searched.
pub const TABLE: &str = include_str!("page/table.js");
/// Lines of sources, and which of them are folded. It needs [`TEXT`] and [`ELEMENTS`].
pub const SOURCE: &str = include_str!("page/source.js");
/// Addresses to the views of a page. It needs [`THEME`] and [`ELEMENTS`], and views.
pub const VIEWS: &str = include_str!("page/views.js");
/// Flame graphs of whatever a model describes. It needs [`TEXT`], [`THEME`], [`ELEMENTS`], [`TABLE`] and a tree.
pub const FLAME: &str = include_str!("page/flame.js");

/// A page that a script draws from data.
#[derive(Debug)]
pub struct ScriptedPage<'p> {
    /// Its title; any text.
    pub title: &'p str,
    /// The text at the foot of every view.
    pub foot: &'p str,
    /// The data of the page, as JSON.
    pub json: &'p str,
    /// Style sheets.
    pub styles: &'p [&'p str],
    /// Scripts in the order in which they are run; they share one scope.
    pub scripts: &'p [&'p str],
}

impl ScriptedPage<'_> {
    /// The page. Its policy allows this style sheet and these scripts alone, by their digests: whatever else came to stand in
    /// the page would not run.
    pub fn html(&self) -> String {
        let style = format!("\n{}", self.styles.concat());
        let script = format!("\n\"use strict\";\n{{\n{}}}\n", self.scripts.concat());
        let parts = [
            ("title", markup(self.title)),
            ("foot", markup(self.foot)),
            ("style-digest", content_digest(&style)),
            ("script-digest", content_digest(&script)),
            ("style", style),
            ("data", embedded_json(self.json)),
            ("script", script),
        ];
        filled(PAGE, &parts)
    }
}

/// A template with its `{{names}}` replaced, each by its part. Inserted parts are not scanned again, because they may
/// hold braces.
pub fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut pieces = template.split("{{");
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let part = parts.iter().find(|(known, _)| *known == name);
        text.push_str(part.map_or("", |(_, part)| part));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_allows_what_stands_in_it_and_nothing_else() {
        let page = ScriptedPage {
            title: "<t>\u{1b}",
            foot: "f",
            json: "\"</script>\"",
            styles: &[BASE_STYLE, TABLE_STYLE],
            scripts: &[TEXT, THEME],
        };
        let page = page.html();
        assert!(page.contains("<title>&lt;t&gt;\u{fffd}</title>"));
        for element in ["style", "script"] {
            let (start, end) = (format!("<{element}>"), format!("</{element}>"));
            let (_, rest) = page.split_once(&start).unwrap();
            let (text, rest) = rest.split_once(&end).unwrap();
            assert!(!rest.contains(&start));
            let allowed = format!("{element}-src {};", content_digest(text));
            assert!(page.contains(&allowed), "{element}");
        }
    }
}
