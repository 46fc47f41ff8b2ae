//! Corrects estimates by the counts of a provider.

use super::{Counter, Estimate, Scaled};
use crate::Result;
use crate::value::arguments::Argument;
use crate::value::json::{Field, Json};

/// Requests of one model with both numbers: the count of the provider, and the estimate.
///
/// ```
/// use tuckbox::prompt::tokens::{Calibration, Scaled};
///
/// let mut calibration = Calibration::default();
/// calibration.add(120, 100);
/// calibration.add(230, 200);
/// assert_eq!(calibration.scaled(), Some(Scaled { counted: 350, estimated: 300 }));
/// // the estimates were 50 of 350 tokens too low; scaled, their errors are 3 and 4
/// assert_eq!(calibration.off_percent(), Some(14));
/// assert_eq!(calibration.off_percent_scaled(), Some(2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    pairs: Vec<(u64, u64)>,
}

impl Calibration {
    /// Adds a request.
    pub fn add(&mut self, counted: u64, estimated: u64) {
        self.pairs.push((counted, estimated));
    }

    /// Adds the requests of another calibration.
    pub fn extend(&mut self, other: &Self) {
        self.pairs.extend_from_slice(&other.pairs);
    }

    /// Returns the number of requests.
    pub fn requests(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the sum of the counts.
    pub fn counted(&self) -> u64 {
        self.pairs.iter().map(|(counted, _)| counted).sum()
    }

    /// Returns the sum of the estimates.
    pub fn estimated(&self) -> u64 {
        self.pairs.iter().map(|(_, estimated)| estimated).sum()
    }

    /// Returns the counter with scaled estimates. `None` without counts or estimates.
    pub fn scaled(&self) -> Option<Scaled> {
        let (counted, estimated) = (self.counted(), self.estimated());
        (counted > 0 && estimated > 0).then_some(Scaled { counted, estimated })
    }

    /// Returns the tokens of the model for 100 estimated tokens.
    pub fn factor_percent(&self) -> Option<u64> {
        self.counted().saturating_mul(100).checked_div(self.estimated())
    }

    /// Returns the sum of the errors of single requests, in percent of the counts.
    pub fn off_percent(&self) -> Option<u64> {
        self.off(|estimated| estimated)
    }

    /// Returns the same for scaled estimates.
    pub fn off_percent_scaled(&self) -> Option<u64> {
        let scaled = self.scaled()?;
        self.off(|estimated| scaled.of(estimated))
    }

    fn off(&self, estimate: impl Fn(u64) -> u64) -> Option<u64> {
        let off = |(counted, estimated): &(u64, u64)| counted.abs_diff(estimate(*estimated));
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

/// A row of an import's report, as far as a counter needs it.
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
    /// A row of the `calibration` of an import's report.
    pub struct CalibrationRow {
        /// The model.
        pub model: String,
        /// The count of the provider.
        pub recorded: u64,
        /// The estimate.
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
    /// Returns a scaled estimate.
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
