//! The report as one HTML file that opens without server or network. What it shows is chosen in `data`; how, is
//! in the style sheets and scripts of `page/`, which are written by hand and build every element from data, so
//! that no name or source text is ever read as markup.

mod budget;
mod count;
mod data;
mod difference;
mod groups;
mod policy;
mod tree;

use crate::profile::Profile;

pub use difference::difference_html;
pub use policy::content_digest;

const PAGE: &str = include_str!("page/page.html");

const STYLES: &[&str] = &[
    include_str!("page/base.css"),
    include_str!("page/tables.css"),
    include_str!("page/flame.css"),
    include_str!("page/method.css"),
];

/// In the order in which they are run; they share one scope.
const SCRIPTS: &[&str] = &[
    include_str!("page/text.js"),
    include_str!("page/theme.js"),
    include_str!("page/model.js"),
    include_str!("page/elements.js"),
    include_str!("page/table.js"),
    include_str!("page/summary.js"),
    include_str!("page/ranking.js"),
    include_str!("page/flame-layout.js"),
    include_str!("page/flame-canvas.js"),
    include_str!("page/flame.js"),
    include_str!("page/source.js"),
    include_str!("page/method.js"),
    include_str!("page/allocations.js"),
    include_str!("page/main.js"),
];

/// A profile as one self-contained HTML file of at most 5 MB, for people to look around in.
pub fn html_report(profile: &Profile) -> String {
    let data = data::Data::of(profile);
    // Numbers, texts and lists of them are always representable.
    let json = serde_json::to_string(&data).unwrap_or_else(|_| "null".to_string());
    let title = profile.files.first().map_or("", String::as_str);
    let title = escaped(&budget::clipped(title));
    let title = format!("{title} · Tally profile");
    page(title, &json, STYLES, SCRIPTS)
}

/// A page that shows data. Its policy allows this style sheet and these scripts alone, by their digests: whatever else came to stand in
/// the page would not run.
fn page(title: String, json: &str, styles: &[&str], scripts: &[&str]) -> String {
    let style = format!("\n{}", styles.concat());
    let script = format!("\n\"use strict\";\n{{\n{}}}\n", scripts.concat());
    let parts = [
        ("title", title),
        ("style-digest", content_digest(&style)),
        ("script-digest", content_digest(&script)),
        ("style", style),
        ("data", embeddable(json)),
        ("script", script),
    ];
    filled(PAGE, &parts)
}

/// A template with its `{{names}}` replaced, each by its part. What is put in is not looked at again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
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

/// JSON that may stand in a script element: without any character that markup begins with. These occur in
/// strings only, where an escape means the same.
fn embeddable(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            _ => text.push(c),
        }
    }
    text
}

/// Text that may stand between tags.
fn escaped(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    escaped.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_allows_what_stands_in_it_and_nothing_else() {
        let page = page("t".to_string(), "\"</script>\"", STYLES, SCRIPTS);
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
