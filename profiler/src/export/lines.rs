//! Counts of source lines as CSV: the sends from a line, the calls that they led to, the allocations, and the
//! work of the sends and of the primitives that they called, if work was counted.

use std::collections::BTreeMap;

use tally_presentation::csv::{Csv, text_field};

use super::ExportError;
use crate::profile::Profile;

/// The costs of one line.
#[derive(Clone, Copy, Default)]
struct Counts {
    sends: u64,
    calls: u64,
    objects: u64,
    bytes: u64,
    work: u64,
}

/// Writes a row for each line that sent or allocated something. Objects whose line is not known, as that of a
/// block is not, have a row for their file with an empty line.
pub(super) fn lines(profile: &Profile) -> Result<String, ExportError> {
    if !super::has_sites(profile) {
        return Err(ExportError::NoSites);
    }
    let mut csv = Csv::unix();
    let has_work = profile.has_work();
    let heads = ["file", "line", "sends", "calls", "objects", "bytes"];
    csv.row(heads.into_iter().chain(has_work.then_some("work")));
    for ((file, line), counts) in counts(profile)? {
        let line = line.map(|line| line.to_string()).unwrap_or_default();
        let Counts {
            sends,
            calls,
            objects,
            bytes,
            work,
        } = counts;
        let all = [sends, calls, objects, bytes].into_iter();
        let all = all.chain(has_work.then_some(work));
        let fields = [text_field(file), line].into_iter();
        csv.row(fields.chain(all.map(|count| count.to_string())));
    }
    Ok(csv.finish())
}

fn counts(profile: &Profile) -> Result<BTreeMap<(&str, Option<usize>), Counts>, ExportError> {
    let mut counts: BTreeMap<(&str, Option<usize>), Counts> = BTreeMap::new();
    let file_of = |method: u32| {
        let method = profile.methods.get(method as usize);
        method
            .map(|method| method.file.as_str())
            .ok_or_else(missing)
    };
    for site in &profile.sites {
        let row = counts
            .entry((file_of(site.method)?, Some(site.line)))
            .or_default();
        row.sends = row.sends.saturating_add(site.sends);
        row.calls = row.calls.saturating_add(site.calls);
        row.work = row.work.saturating_add(site.work);
    }
    for allocation in &profile.allocations {
        let place = match allocation.site {
            Some(site) => {
                let site = profile.sites.get(site as usize).ok_or_else(missing)?;
                (file_of(site.method)?, Some(site.line))
            }
            None => {
                let context = profile.contexts.get(allocation.context as usize);
                let method = context.ok_or_else(missing)?.method;
                (method.map_or(Ok(""), file_of)?, None)
            }
        };
        let row = counts.entry(place).or_default();
        row.objects = row.objects.saturating_add(allocation.objects);
        row.bytes = row.bytes.saturating_add(allocation.bytes);
    }
    Ok(counts)
}

fn missing() -> ExportError {
    ExportError::Malformed("a site or an allocation refers to what is not there".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::small as testing;

    #[test]
    fn lines_have_their_counts() {
        assert_eq!(
            lines(&testing::example()).unwrap(),
            "file,line,sends,calls,objects,bytes\n\
             a.st,,0,0,1,32\n\
             a.st,1,5,5,0,0\n\
             a.st,2,2,0,0,0\n\
             a.st,3,1,1,0,0\n\
             a.st,11,2,2,0,0\n\
             a.st,20,5,0,2,48\n"
        );
    }

    #[test]
    fn lines_have_work_if_it_was_counted() {
        let text = lines(&crate::json::tests::example()).unwrap();
        let rows: Vec<&str> = text.lines().take(2).collect();
        let head = "file,line,sends,calls,objects,bytes,work";
        assert_eq!(rows, [head, "a.st,1,3,0,2,48,315"]);
    }

    #[test]
    fn odd_names_are_quoted() {
        let mut profile = testing::example();
        profile.methods[2].file = "a \"b\",c.st".to_string();
        let text = lines(&profile).unwrap();
        assert!(
            text.contains("\"a \"\"b\"\",c.st\",20,5,0,2,48\n"),
            "{text}"
        );
    }

    #[test]
    fn without_sites_there_are_no_lines() {
        let mut profile = testing::example();
        profile.sites.clear();
        assert_eq!(lines(&profile), Err(ExportError::NoSites));
        profile.sites = testing::example().sites;
        profile.allocations[0].context = 1000;
        assert!(matches!(lines(&profile), Err(ExportError::Malformed(_))));
    }
}
