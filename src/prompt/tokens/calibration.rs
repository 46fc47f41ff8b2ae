//! How far estimates were from what a provider counted, and what to make of it.

use super::{Counter, Estimate, Scaled};
use crate::Result;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json};

/// Requests of one model of which both is known: what the provider counted, and what was estimated.
///
/// ```
/// use tuckbox::prompt::tokens::{Calibration, Scaled};
///
/// let mut calibration = Calibration::default();
/// calibration.add(120, 100);
/// calibration.add(230, 200);
/// assert_eq!(calibration.scaled(), Some(Scaled { counted: 350, estimated: 300 }));
/// // the estimates were 50 of 350 tokens too low; scaled they are off by 3 and by 4
/// assert_eq!(calibration.off_percent(), Some(14));
/// assert_eq!(calibration.off_percent_scaled(), Some(2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    pairs: Vec<(u64, u64)>,
}

impl Calibration {
    /// One more request.
    pub fn add(&mut self, counted: u64, estimated: u64) {
        self.pairs.push((counted, estimated));
    }

    /// The requests of another as well.
    pub fn extend(&mut self, other: &Self) {
        self.pairs.extend_from_slice(&other.pairs);
    }

    /// How many requests are known.
    pub fn requests(&self) -> usize {
        self.pairs.len()
    }

    /// What the provider counted over all requests.
    pub fn counted(&self) -> u64 {
        self.pairs.iter().map(|(counted, _)| counted).sum()
    }

    /// What was estimated over all requests.
    pub fn estimated(&self) -> u64 {
        self.pairs.iter().map(|(_, estimated)| estimated).sum()
    }

    /// The counter that estimates as this model counts; nothing where nothing was estimated or
    /// counted.
    pub fn scaled(&self) -> Option<Scaled> {
        let (counted, estimated) = (self.counted(), self.estimated());
        (counted > 0 && estimated > 0).then_some(Scaled { counted, estimated })
    }

    /// What 100 estimated tokens are for the model.
    pub fn factor_percent(&self) -> Option<u64> {
        self.counted().saturating_mul(100).checked_div(self.estimated())
    }

    /// How far the estimates of single requests were off: the differences together, in hundredths
    /// of what was counted.
    pub fn off_percent(&self) -> Option<u64> {
        self.off(|estimated| estimated)
    }

    /// The same with every estimate scaled.
    pub fn off_percent_scaled(&self) -> Option<u64> {
        let scaled = self.scaled()?;
        self.off(|estimated| scaled.of(estimated))
    }

    fn off(&self, figure: impl Fn(u64) -> u64) -> Option<u64> {
        let off = |(counted, estimated): &(u64, u64)| counted.abs_diff(figure(*estimated));
        let differences: u64 = self.pairs.iter().map(off).sum();
        differences.saturating_mul(100).checked_div(self.counted())
    }

    /// Returns the row of a report.
    pub fn row(&self, model: &str) -> Json {
        Json::from([
            ("model", Json::from(model)),
            ("requests", self.requests().into()),
            ("recorded", self.counted().into()),
            ("estimated", self.estimated().into()),
            ("factor_percent", self.factor_percent().into()),
            ("off_percent", self.off_percent().into()),
            ("off_percent_scaled", self.off_percent_scaled().into()),
        ])
    }
}

/// One row of an import's report, as far as a counter needs it.
///
/// ```
/// use tuckbox::json;
/// use tuckbox::prompt::tokens::CalibrationRow;
/// use tuckbox::value::arguments::Argument;
/// use tuckbox::value::json::Field;
///
/// let row = json!({"model": "gpt-5", "requests": 3, "recorded": 120, "estimated": 100});
/// assert!(CalibrationRow::read(&Field::root(&row)).is_ok());
/// let error = CalibrationRow::read(&Field::root(&json!({"model": "gpt-5", "estimated": 100}))).unwrap_err();
/// assert_eq!(error.path().to_string(), "recorded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationRow {
    model: String,
    scaled: Scaled,
}

shape! {
    /// One row of the `calibration` of an import's report.
    pub struct CalibrationRow {
        /// The model.
        pub model: String,
        /// What the provider counted.
        pub recorded: u64,
        /// What was estimated.
        pub estimated: u64,
        #[serde(flatten)]
        pub more: Object,
    }
}

impl Argument for CalibrationRow {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        let counted = u64::read_member(&fields, "recorded")?;
        let estimated = u64::read_member(&fields, "estimated")?;
        let model = String::read_member(&fields, "model")?;
        Ok(Self { model, scaled: Scaled { counted, estimated } })
    }
}

/// Returns the scale of a model: that of the last row that has an estimate.
pub(super) fn scaled_for(rows: &[CalibrationRow], model: Option<&str>) -> Option<Scaled> {
    let mut of_model = rows.iter().filter(|row| Some(row.model.as_str()) == model);
    of_model.rfind(|row| row.scaled.estimated > 0).map(|row| row.scaled)
}

impl Scaled {
    /// An estimate as the provider counts.
    pub fn of(&self, estimate: u64) -> u64 {
        let tokens = u128::from(estimate) * u128::from(self.counted);
        let scaled = tokens.div_ceil(u128::from(self.estimated.max(1)));
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

impl Counter for Scaled {
    fn count(&self, text: &str) -> u64 {
        self.of(Estimate.count(text))
    }

    fn marks(&self, estimated: u64) -> u64 {
        self.of(estimated)
    }

    fn exact(&self) -> bool {
        false
    }
}
