//! The report as one HTML file that opens without server or network. `data` chooses the content. The hand-written style
//! sheets and scripts of `page/` show it; they build every element from data, so that no name or source text is read as
//! markup.

mod data;
mod groups;
mod tree;

use tally_presentation::html::{self as page, ScriptedPage, clipped};

use self::data::Data;
use crate::profile::Profile;

const STYLES: &[&str] = &[
    page::BASE_STYLE,
    page::TABLE_STYLE,
    page::FLAME_STYLE,
    page::SOURCE_STYLE,
    include_str!("page/views.css"),
];

/// In the order in which they are run; they share one scope.
const SCRIPTS: &[&str] = &[
    page::TEXT,
    page::THEME,
    include_str!("page/model.js"),
    page::ELEMENTS,
    page::TABLE,
    include_str!("page/summary.js"),
    include_str!("page/ranking.js"),
    page::FLAME,
    include_str!("page/trees.js"),
    include_str!("page/flame.js"),
    page::SOURCE,
    include_str!("page/source.js"),
    include_str!("page/blueprint.js"),
    include_str!("page/method.js"),
    include_str!("page/allocations.js"),
    page::VIEWS,
    include_str!("page/main.js"),
];

/// A profile as one self-contained HTML file of at most 5 MB, for people to look around in. Views of what an imported profile does not
/// know have no link.
pub fn html_report(profile: &Profile) -> String {
    let file = profile.files.first().map_or("", String::as_str);
    let foot = crate::report::proxy(profile, profile.has_work());
    let page = ScriptedPage {
        title: &format!("{} · Tally profile", clipped(file)),
        foot: foot.trim_end(),
        json: &Data::of(profile).json(),
        styles: STYLES,
        scripts: SCRIPTS,
    };
    page.html()
}
