//! Coverage as one HTML file: shares of files and classes, and the sources with what ran in their margin. This module
//! chooses the content; the script of `page/` shows it.

use serde::Serialize;
use tally_presentation::html::{self as page, Budget, Count, ScriptedPage, clipped, text_size};
use tally_profiler::PROXY;

use super::report::by_class;
use super::{Coverage, Share, Shares, lines_of};

/// Bytes of the shares of files and classes, and of the sources.
const SHARES: usize = 1_200_000;
const SOURCES: usize = 3_300_000;
/// Bytes of a row of shares beside its name, and of a line.
const ROW: usize = 200;
const LINE: usize = 36;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    recordings: Count,
    all: Row,
    files: Vec<FileRow>,
    left_out: LeftOut,
}

#[derive(Default, Serialize)]
struct LeftOut {
    files: usize,
    sources: usize,
}

/// Numbers of what is covered and of all: methods, blocks, lines, send sites.
#[derive(Serialize)]
struct Row {
    name: String,
    shares: [[u64; 2]; 4],
}

#[derive(Serialize)]
struct FileRow {
    #[serde(flatten)]
    row: Row,
    classes: Vec<Row>,
    /// Methods that never ran, with their lines.
    never: Vec<(String, usize)>,
    /// Absent if there is no room for it.
    text: Option<String>,
    /// Line, greatest count on it, whether something on it never happened.
    lines: Vec<(usize, Count, bool)>,
}

impl Row {
    fn new(name: &str, shares: &Shares) -> Row {
        let share = |Share { covered, all }| [covered, all];
        Row {
            name: match name {
                "" => "(top level)".to_string(),
                name => clipped(name),
            },
            shares: [shares.methods, shares.blocks, shares.lines, shares.sites].map(share),
        }
    }
}

impl Coverage {
    /// The coverage as one self-contained HTML file of at most 5 MB.
    pub fn to_html(&self) -> String {
        let data = self.page_data();
        // Numbers, texts and lists of them are always representable.
        let json = serde_json::to_string(&data).unwrap_or_else(|_| "null".to_string());
        let page = ScriptedPage {
            title: "Tally coverage",
            foot: PROXY.trim_end(),
            json: &json,
            styles: &[
                page::BASE_STYLE,
                page::TABLE_STYLE,
                page::SOURCE_STYLE,
                include_str!("page/coverage.css"),
            ],
            scripts: &[
                page::TEXT,
                page::THEME,
                page::ELEMENTS,
                page::TABLE,
                page::SOURCE,
                include_str!("page/coverage.js"),
            ],
        };
        page.html()
    }

    fn page_data(&self) -> Data {
        let (mut shares, mut sources) = (Budget::new(SHARES), Budget::new(SOURCES));
        let mut left_out = LeftOut::default();
        let mut files = Vec::new();
        for (number, file) in self.outline.files.iter().enumerate() {
            let routines: Vec<_> = self.routines_of(number).collect();
            let of_file = self.shares_of(routines.iter().copied());
            if of_file == Shares::default() {
                continue;
            }
            let classes = by_class(&routines).into_iter();
            let classes: Vec<Row> = classes
                .map(|(class, routines)| Row::new(class, &self.shares_of(routines.into_iter())))
                .collect();
            let never = routines.iter();
            let never = never.filter(|(routine, counts)| counts.of_method(routine) == 0);
            let never: Vec<(String, usize)> = never
                .map(|(routine, _)| (clipped(&routine.name), routine.line))
                .collect();
            let names = classes.iter().map(|row| text_size(&row.name) + ROW);
            let never_size = never.iter().map(|(name, _)| text_size(name) + 12);
            let size = names.sum::<usize>() + never_size.sum::<usize>() + 2 * ROW;
            if !shares.take(size + text_size(&clipped(&file.name))) {
                left_out.files += 1;
                continue;
            }
            let lines = lines_of(routines.iter().copied());
            let has_room = sources.take(text_size(&file.text) + lines.len() * LINE);
            left_out.sources += usize::from(!has_room);
            let lines = lines.into_iter().filter(|_| has_room);
            files.push(FileRow {
                row: Row::new(&file.name, &of_file),
                classes,
                never,
                text: has_room.then(|| file.text.clone()),
                lines: lines
                    .map(|(line, counts)| (line, Count(counts.count), counts.has_gap))
                    .collect(),
            });
        }
        Data {
            recordings: Count(self.recordings),
            all: Row::new("all", &self.shares()),
            files,
            left_out,
        }
    }
}
