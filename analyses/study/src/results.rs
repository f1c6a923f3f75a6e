//! The results of the measurements: all data of the reports, in the order of the report. Times are in seconds of
//! processor time, rates in sends a millisecond, shares and errors in per cent unless a name says otherwise. A number
//! that the data does not determine is absent: a variation of one run, a correlation of constants, an interval without
//! degrees of freedom. No number here is infinite or NaN.

use serde::{Deserialize, Serialize};
pub use tally_presentation::table::Interval;

use crate::data::{Context, Cost, Form, Missing};

/// The schema of a study as JSON.
pub const STUDY_SCHEMA: &str = "tally.study/1";

/// The results of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Study {
    /// `tally.study/1`.
    pub schema: String,
    /// Where it was measured, the normal context first.
    pub contexts: Vec<Context>,
    /// The requested measurements that failed.
    pub missing: Vec<Missing>,
    /// Table 2: the applications, the one with the most time first.
    pub applications: Vec<ApplicationRow>,
    /// What Table 2's columns come to; absent if there is no application.
    pub summary: Option<Summary>,
    /// Figure 1: sends against time over the applications; absent with fewer than three.
    pub over_applications: Option<Regression>,
    /// The held-out applications, predicted from the others.
    pub held_out: Vec<HeldOut>,
    /// Figure 2 and the same for each application: sends against time over the methods of one, the one that is shown first.
    pub over_methods: Vec<MethodRegression>,
    /// §3.3: the message rate in each context, the normal one first.
    pub rates: Vec<RateRow>,
    /// In which contexts which counts differ from the normal context's.
    pub invariance: Vec<InvarianceRow>,
    /// Table 3: cost of counting, against the loop that counts nothing.
    pub counting: CostTable,
    /// Table 4 and Figure 3: cost of counting by methods, a table for each form.
    pub profiling: Vec<CostTable>,
    /// §4.4: stability of rankings.
    pub stability: Vec<StabilityRow>,
    /// §7: messages that are inlined.
    pub inlining: Inlining,
    /// §3.4: memoisation.
    pub memoisation: Vec<MemoRow>,
    /// Beyond the paper: what predicts time how well, over applications. Sends alone first.
    pub models: Vec<ModelRow>,
    /// The same over the methods of each application.
    pub method_models: Vec<MethodModelRow>,
    /// Where the count is a bad stand-in, and how bad the models are there.
    pub counterexamples: Vec<CounterexampleRow>,
    /// How well one number alone stands for time: sends, and work.
    pub proxies: Vec<ProxyRow>,
}

/// How well one number stands for time over some programs: a factor makes a time of it, and nothing is fitted beside.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProxyRow {
    /// What programs they are: `the basket`.
    pub group: String,
    /// What stands for time: `sends`, `work`.
    pub number: String,
    /// How many programs.
    pub programs: u64,
    /// Pearson's r of the number and time.
    pub correlation: Option<f64>,
    /// Time for one of the number: the geometric mean over the programs.
    pub factor: Option<f64>,
    /// Each program predicted by the factor of the others.
    pub leave_one_out: LeaveOneOut,
    /// The 95 % interval of the median error.
    pub median_interval: Option<Interval>,
    /// By how much the rate varies: the standard deviation of log(time / number).
    pub spread: Option<f64>,
    /// Its 95 % interval.
    pub spread_interval: Option<Interval>,
}

/// A row of Table 2.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationRow {
    /// Its name.
    pub name: String,
    /// A description.
    pub about: String,
    /// Lines of source, classes, methods and tests.
    pub lines: u64,
    /// Classes that it defines.
    pub classes: u64,
    /// Methods that it defines.
    pub methods: u64,
    /// Unit tests.
    pub tests: u64,
    /// Runs that the row is of.
    pub runs: u64,
    /// Mean time, in seconds.
    pub seconds: f64,
    /// Mean of the sends; all are equal if `sends_variation` is 0.
    pub sends: f64,
    /// Coefficient of variation of time, in per cent: standard deviation (n − 1) to mean.
    pub time_variation: Option<f64>,
    /// Coefficient of variation of sends, in per cent.
    pub sends_variation: Option<f64>,
    /// Sends a millisecond.
    pub rate: f64,
    /// The whole cost vector, of its first run in the form that knows it; absent if there is none.
    pub cost: Option<Cost>,
    /// Measured time minus the time by the regression over applications, in per cent of the measured time. The line is
    /// the one with intercept, read backwards as the paper does.
    pub residual: Option<f64>,
}

/// What Table 2's columns come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Mean of the variations of time, in per cent.
    pub time_variation: Option<f64>,
    /// Mean of the variations of sends, in per cent.
    pub sends_variation: Option<f64>,
    /// How many times more stable sends are than time; absent if sends do not vary at all.
    pub ratio: Option<f64>,
    /// The lowest, mean and highest rate of an application, in sends a millisecond.
    pub lowest_rate: f64,
    /// Mean over the applications, each weighing the same.
    pub mean_rate: f64,
    /// The highest.
    pub highest_rate: f64,
    /// Coefficient of variation of the rates over the applications, in per cent.
    pub rate_variation: Option<f64>,
}

/// A regression line y = a + b x with its statistics. Here x is time in milliseconds and y sends, as in the paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The intercept; 0 for a line through the origin.
    pub intercept: f64,
    /// The slope.
    pub slope: f64,
    /// Whether the intercept was to be 0.
    pub through_origin: bool,
    /// Standard deviation of errors s_e, in the unit of y.
    pub error: f64,
    /// Standard deviation of the slope s_b.
    pub slope_error: f64,
    /// 95 % confidence interval of the slope by Student's t.
    pub slope_interval: Interval,
    /// Degrees of freedom.
    pub degrees: f64,
}

/// A point of a scatter plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// What it is of.
    pub name: String,
    /// Time, in milliseconds.
    pub milliseconds: f64,
    /// Sends.
    pub sends: f64,
}

/// How two quantities go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Correlation {
    /// Pearson's r.
    pub pearson: Option<f64>,
    /// Spearman's rank correlation, ties with their mean rank.
    pub rank: Option<f64>,
    /// Pearson's r of the logarithms; points at 0 are left out.
    pub logarithms: Option<f64>,
}

/// Sends against time over applications.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Regression {
    /// The points.
    pub points: Vec<Point>,
    /// The line through the origin.
    pub through_origin: Line,
    /// The line with intercept; absent if all times are the same.
    pub with_intercept: Option<Line>,
    /// How they go together.
    pub correlation: Correlation,
    /// Each point's time predicted from all others by the model of sends alone, as in the first row of [`Study::models`].
    pub leave_one_out: LeaveOneOut,
}

/// How well each is predicted from all others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaveOneOut {
    /// Each with its error: predicted to measured, less 1, in per cent.
    pub errors: Vec<NamedError>,
    /// Median of the errors without their signs, in per cent.
    pub median: Option<f64>,
    /// The worst of them, by name.
    pub worst: Option<NamedError>,
}

/// An error of prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedError {
    /// The predicted program or method.
    pub name: String,
    /// Predicted to measured, less 1, in per cent.
    pub error: f64,
}

/// A prediction of an application that had no share in the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldOut {
    /// Its name.
    pub name: String,
    /// What it sends.
    pub sends: f64,
    /// The measured time in milliseconds: the mean over rounds, as for the line.
    pub milliseconds: f64,
    /// Standard deviation of that over the runs.
    pub deviation: Option<f64>,
    /// The prediction of the line with intercept, in milliseconds.
    pub predicted: Option<f64>,
    /// Where the paper's way puts it: the line read with both ends of the slope's interval.
    pub interval: Option<Interval>,
    /// Whether the measured value falls inside.
    pub is_inside: Option<bool>,
    /// What the model of sends alone gives, which has no intercept and is as good for short programs as for long ones, and its
    /// 95 % interval.
    pub by_sends: Option<Estimate>,
    /// The prediction of the cost vector's model, in milliseconds, and its 95 % interval.
    pub by_vector: Option<Estimate>,
}

/// A predicted time with its interval, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// The estimate.
    pub milliseconds: f64,
    /// Its 95 % interval.
    pub interval: Interval,
}

/// Sends against time over the methods of an application: totals of a method and its callees.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodRegression {
    /// The application.
    pub application: String,
    /// The methods whose time is known well enough: met in as many samples as `least_samples` over all rounds.
    pub points: Vec<Point>,
    /// The least number of samples of a method.
    pub least_samples: u64,
    /// The line through the origin; absent with fewer than three points.
    pub line: Option<Line>,
    /// How they go together.
    pub correlation: Option<Correlation>,
}

/// The message rate in a context.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RateRow {
    /// The context's name.
    pub context: String,
    /// A description.
    pub about: String,
    /// Applications that were measured in it.
    pub applications: u64,
    /// Slope of the line through the origin, in sends a millisecond, with its 95 % interval.
    pub rate: f64,
    /// Its 95 % interval.
    pub interval: Option<Interval>,
    /// Mean variation of time and of sends over the applications, in per cent.
    pub time_variation: Option<f64>,
    /// Mean variation of sends.
    pub sends_variation: Option<f64>,
    /// Pearson's r.
    pub correlation: Option<f64>,
}

/// Whether counts are the same in a context as in the normal one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvarianceRow {
    /// The context's name.
    pub context: String,
    /// A description.
    pub about: String,
    /// Applications whose counts are known in both.
    pub applications: u64,
    /// Runs that were looked at, in all forms.
    pub runs: u64,
    /// Applications with a run whose sends, loops, objects or bytes differ from the first run of the normal context.
    pub differing: Vec<String>,
}

/// Time with something and without.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostTable {
    /// The form that is measured.
    pub form: Form,
    /// The form without it, for the comparison.
    pub against: Form,
    /// The applications, in the order of Table 2.
    pub rows: Vec<CostRow>,
    /// Median of the overheads, in per cent.
    pub median: Option<f64>,
    /// The lowest and the highest.
    pub lowest: Option<f64>,
    /// The highest.
    pub highest: Option<f64>,
    /// Geometric mean of the ratios, less 1, in per cent.
    pub mean: Option<f64>,
}

impl Default for CostTable {
    fn default() -> CostTable {
        CostTable {
            form: Form::Counted,
            against: Form::Uncounted,
            rows: Vec::new(),
            median: None,
            lowest: None,
            highest: None,
            mean: None,
        }
    }
}

/// What something costs an application.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostRow {
    /// The application.
    pub name: String,
    /// Methods that are wrapped, where wrappers are.
    pub methods: Option<u64>,
    /// Median time without it, in milliseconds.
    pub without: f64,
    /// Median time with it, in milliseconds.
    pub with: f64,
    /// How much more that is, in per cent of the time without.
    pub overhead: f64,
    /// 95 % interval of the overhead, from drawing the rounds again (bootstrap); absent with fewer than three rounds.
    pub interval: Option<Interval>,
}

/// How stable rankings of methods are over repeated profiles, as the paper's ψ over the first ten methods; 0 is perfectly
/// stable. A method that a profile does not list takes the first free place, so ψ is a lower bound.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StabilityRow {
    /// The application.
    pub application: String,
    /// Profiles of each kind: of both kinds as many as there are of the rarer one.
    pub profiles: u64,
    /// Methods that are ranked.
    pub methods: u64,
    /// ψ¹⁰ of rankings by counted total.
    pub counted_total: Option<f64>,
    /// ψ¹⁰ of rankings by counted own.
    pub counted_own: Option<f64>,
    /// ψ¹⁰ of rankings by sampled total.
    pub sampled_total: Option<f64>,
    /// ψ¹⁰ of rankings by sampled own.
    pub sampled_own: Option<f64>,
    /// ψ¹⁰ of as many random rankings of as many methods: it grows with the methods, and the paper's 173 belongs to about 91.
    pub random: f64,
}

/// Messages that the compiler inlines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inlining {
    /// In source text: the library, then the basket.
    pub written: Vec<InliningRow>,
    /// In runs: each application.
    pub executed: Vec<InliningRow>,
    /// The basket's runs together.
    pub all_executed: InliningRow,
}

/// The number of messages, and how many are inlined.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InliningRow {
    /// What it is.
    pub name: String,
    /// Messages, inlined or not: written, or sent and evaluated.
    pub messages: u64,
    /// The number of inlined messages.
    pub inlined: u64,
    /// Their share, in per cent.
    pub share: Option<f64>,
}

/// The savings by memory, in sends and in time. Times are medians over rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoRow {
    /// The application that remembers.
    pub application: String,
    /// The variant that does not.
    pub variant: String,
    /// What does not remember there.
    pub about: String,
    /// Sends without and with.
    pub sends_without: f64,
    /// Sends with.
    pub sends_with: f64,
    /// The saving, in per cent of the cost without memoisation.
    pub sends_saved: Option<f64>,
    /// Milliseconds without and with.
    pub milliseconds_without: f64,
    /// Milliseconds with.
    pub milliseconds_with: f64,
    /// The saving, in per cent of the cost without memoisation.
    pub time_saved: f64,
}

/// A part of the cost vector as a regressor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Regressor {
    /// Sends.
    Sends,
    /// Repetitions of inlined loops.
    Loops,
    /// Methods entered.
    Activations,
    /// Activations of blocks.
    Blocks,
    /// Objects allocated.
    Objects,
    /// Bytes allocated.
    Bytes,
    /// Assignments, sends, decisions, blocks and brace arrays made, returns.
    Steps,
    /// Primitives that succeeded.
    Primitives,
}

/// A model of time: nanoseconds for one of each regressor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// Nanoseconds for one event of each regressor; a missing regressor costs nothing.
    pub nanoseconds: Vec<(Regressor, f64)>,
    /// Programs that it was worked out from.
    pub programs: u64,
    /// By how much log(measured / predicted) varies when each program is left out: the standard deviation about 0.
    pub spread: Option<f64>,
}

/// How well a model predicts the applications. Times are medians over rounds; the fit minimises the squares of relative
/// errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    /// The name of its regressors: `sends alone`, `the cost vector`.
    pub name: String,
    /// The regressors that it may use.
    pub regressors: Vec<Regressor>,
    /// The model of all applications.
    pub model: Model,
    /// Pearson's r of measured times and those predicted from the others.
    pub correlation: Option<f64>,
    /// Each predicted from the others.
    pub leave_one_out: LeaveOneOut,
}

/// How well models predict the methods of an application: own time from own counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodModelRow {
    /// The application.
    pub application: String,
    /// Methods whose own time is known well enough.
    pub methods: u64,
    /// Pearson's r of own time and what sends alone give, each method predicted from the others.
    pub by_sends: Option<f64>,
    /// Pearson's r of own time and what the vector gives, each method predicted from the others.
    pub by_vector: Option<f64>,
    /// Median of the errors without their signs when each method is left out, in per cent, by sends alone.
    pub error_by_sends: Option<f64>,
    /// The same by the vector.
    pub error_by_vector: Option<f64>,
}

/// A program whose count is a bad stand-in for time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterexampleRow {
    /// Its name.
    pub name: String,
    /// A description of its work.
    pub about: String,
    /// Its sends.
    pub sends: f64,
    /// The measured time in milliseconds: the median over rounds, as for the models.
    pub milliseconds: f64,
    /// Sends a millisecond.
    pub rate: f64,
    /// The whole cost vector, of its first run in the form that knows it; absent if there is none.
    pub cost: Option<Cost>,
    /// The prediction of the basket's model by sends alone, in milliseconds.
    pub by_sends: Option<f64>,
    /// Measured to predicted by sends alone.
    pub factor_by_sends: Option<f64>,
    /// The prediction of the basket's model by the cost vector, in milliseconds.
    pub by_vector: Option<f64>,
    /// Measured to predicted by the vector.
    pub factor_by_vector: Option<f64>,
}
