package engine

import (
	"cmp"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Thresholds of the routing table.
const (
	inlineHighConfidence = 0.55
	worthALookConfidence = 0.40
	inlineLowConfidence  = 0.85
)

// Reasons for which a finding is stored only; the keys of [Stats.Dropped].
const (
	whyRefuted      = "refuted"
	whyUnrelated    = "unrelated"
	whyPreExisting  = "pre-existing"
	whyTold         = "pre-existing, and said in another pull request"
	whySaid         = "said by somebody else"
	whyCategory     = "category off"
	whySeverity     = "below minimum severity"
	whyConfidence   = "below minimum confidence"
	whyProfile      = "profile"
	whyUnproven     = "unproven"
	whyUnchanged    = "on an unchanged line"
	whyMinor        = "minor"
	whyCalibrated   = "below the calibrated confidence"
	whyLate         = "on code that was reviewed before"
	whyRepeated     = "repeated pattern"
	whyDismissed    = "dismissed"
	whySuppressed   = "suppressed"
	whyAnchor       = "no valid anchor"
	whySchema       = "not as the schema asks"
	whyOtherRule    = "a rule that does not concern the file"
	whyEvidence     = "false quote"
	whyDuplicate    = "duplicate"
	whyCanary       = "answer discarded"
	whyTooMany      = "too many for one answer"
	whyExcludedPath = "excluded path"
	whyToolWords    = "the words of a tool, in public"
	whyPlace        = "further place not in the code"
	whyPlaceUnsure  = "further place not confirmed"
)

// destination is where a row of the table of routes sends a finding.
type destination uint8

const (
	toLine    destination = iota // inline where a host shows a comment there, else the summary
	toSummary                    // the summary; what is unproven is asked there, what is Low or below folded
	toStore                      // nowhere: visible in the console only
)

// routed is a finding on its way through the table, and the policy.
type routed struct {
	*finding.Item
	policy domain.Policy
}

// routeRow is a line of the table of routes.
type routeRow struct {
	when  string // for people
	holds func(r routed) bool
	to    destination
	why   string      // for what is stored: a key of [Stats.Dropped]
	aside wording.Key // for what the summary lists: why it has no comment; 0 where the summary says it otherwise
}

// routes is the table of routes of new findings: the first line that holds decides.
// [work.isLate] decides about new findings on lines that an earlier run has reviewed.
//
// No host that we publish to takes a comment on a file or on the whole change in a
// review, so what has no line goes to the summary, with a link to the file.
var routes = []routeRow{
	{"repeats the words of a tool of the tenant, where everybody reads the review", func(r routed) bool { return r.RepeatsTool },
		toStore, whyToolWords, 0},
	{"a secret at a further place of an earlier finding", func(r routed) bool { return r.IsSecret() && r.ToldBy == finding.AtPlace },
		toStore, whyRepeated, 0},
	{"a secret, or a violation of a mandatory rule", func(r routed) bool { return r.Mandatory }, toLine, "", 0},
	{"a category that the policy turned off", routed.turnedOff, toStore, whyCategory, 0},
	{"less severe than the policy wants", routed.tooMinor, toStore, whySeverity, 0},
	{"profile quiet, below High", func(r routed) bool { return r.policy.Profile == "quiet" && r.Severity < domain.High }, toStore,
		whyProfile, 0},

	// counted in the summary
	{"static, on an unchanged line", func(r routed) bool { return r.static() && r.onLine() && !r.Changed }, toStore, whyUnchanged, 0},
	{"at a further place of an earlier finding", func(r routed) bool { return r.ToldBy == finding.AtPlace }, toStore, whyRepeated, 0},
	{"a value that may be a secret", func(r routed) bool { return r.Doubtful }, toSummary, "", wording.AsideDoubtful},
	{"of a check, Medium or above", func(r routed) bool { return r.Deterministic() && r.Severity >= domain.Medium }, toLine, "", 0},
	{"of a check, below Medium: not static, or profile assertive",
		func(r routed) bool { return r.Deterministic() && (!r.static() || r.assertive()) }, toSummary, "", 0},
	{"of a check, below Medium", routed.Deterministic, toStore, whyMinor, 0},

	{"refuted", func(r routed) bool { return r.Verdict == domain.VerdictRefuted }, toStore, whyRefuted, 0},
	{"unrelated to the change", func(r routed) bool { return r.Scope == "unrelated" }, toStore, whyUnrelated, 0},
	{"said by somebody else on these lines", func(r routed) bool { return r.ToldBy == finding.InComment }, toStore, whySaid, 0},
	{"not verified, because no verifier gave an answer", func(r routed) bool { return r.unproven() && r.Unheard }, toSummary, "",
		wording.AsideUnheard},
	{"less sure than the policy wants", routed.tooUnsure, toStore, whyConfidence, 0},
	{"pre-existing, High or above, worth a look, and said in another pull request",
		func(r routed) bool { return r.oldAndGrave() && r.ToldBy == finding.InOtherReview }, toStore, whyTold, 0},
	{"confirmed by the second opinion alone", func(r routed) bool { return r.Alone && !r.preExisting() }, toSummary, "", wording.AsideSecond},
	{"unproven, High or above, at least 0.40", func(r routed) bool {
		return r.unproven() && !r.preExisting() && r.grave() && r.sure(worthALookConfidence)
	}, toSummary, "", 0},
	{"unproven", routed.unproven, toStore, whyUnproven, 0},
	{"pre-existing, High or above, in a symbol that the change touches", routed.oldAndGrave, toSummary, "", 0},
	{"pre-existing", routed.preExisting, toStore, whyPreExisting, 0},

	{"confirmed, Low, maintainability or docs: profile assertive, or a rule of the repository",
		func(r routed) bool { return r.minor() && (r.assertive() || r.ofRule()) }, toLine, "", 0},
	{"confirmed, Low, a defect that inputs reach, at least 0.85", func(r routed) bool { return r.worthLow() && r.sure(inlineLowConfidence) },
		toLine, "", 0},
	{"confirmed, Low, maintainability or docs", routed.minor, toSummary, "", wording.AsideMinor},
	{"confirmed, High or above, at least 0.55", func(r routed) bool { return r.grave() && r.sure(inlineHighConfidence) }, toLine, "", 0},
	{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category",
		func(r routed) bool { return r.Severity == domain.Medium && r.sure(r.mediumThreshold()) }, toLine, "", 0},
	{"confirmed, Medium, at least 0.70, and below the calibrated threshold of its category",
		func(r routed) bool { return r.Severity == domain.Medium && r.sure(domain.MediumConfidence) }, toStore, whyCalibrated, 0},
	{"the rest", func(routed) bool { return true }, toStore, whyMinor, 0},
}

func (r routed) static() bool        { return r.Origin == domain.OriginStatic }
func (r routed) onLine() bool        { return r.Anchor.Level == domain.AnchorLine }
func (r routed) assertive() bool     { return r.policy.Profile == "assertive" }
func (r routed) grave() bool         { return r.Severity >= domain.High }
func (r routed) ofRule() bool        { return r.Category == domain.CategoryRule }
func (r routed) unproven() bool      { return r.Verdict == domain.VerdictUnproven }
func (r routed) preExisting() bool   { return r.Scope == "pre_existing" }
func (r routed) turnedOff() bool     { return !r.policy.Allows(r.Category) }
func (r routed) tooMinor() bool      { return r.Severity < r.policy.MinSeverity }
func (r routed) tooUnsure() bool     { return r.Confidence < r.policy.MinConfidence }
func (r routed) sure(p float64) bool { return r.Confidence >= p }

// mediumThreshold returns the confidence from which a Medium finding gets a comment. Calibration does not raise it for a finding
// that fails the check, because hiding that finding would make the check succeed.
func (r routed) mediumThreshold() float64 {
	threshold := cmp.Or(r.Threshold, domain.MediumConfidence)
	if on := r.policy.Check.FailOn; on != nil && r.Severity >= *on {
		return min(threshold, domain.MediumConfidence)
	}
	return threshold
}

func (r routed) oldAndGrave() bool { return r.preExisting() && !r.unproven() && r.grave() && r.Touched }

// intended reports whether the summary asks about a finding that would be on its line. A hole stays one if its author wants it,
// and a rule binds the author.
func (r routed) intended() bool {
	return r.Intended && r.Verdict == domain.VerdictConfirmed && !r.Mandatory && r.Severity < domain.Critical &&
		r.Category != domain.CategorySecurity && !r.ofRule()
}

// minor reports whether the finding asks for no action.
func (r routed) minor() bool {
	return r.Severity <= domain.Low || r.Category == domain.CategoryMaintainability || r.Category == domain.CategoryDocs
}

// worthLow reports whether the finding is a Low defect of the product that inputs reach. It costs its reader less than it saves,
// because it says what goes wrong and when.
func (r routed) worthLow() bool {
	switch r.Category {
	case domain.CategoryBug, domain.CategorySecurity, domain.CategoryConcurrency, domain.CategoryPerformance, domain.CategoryAPI:
		return r.Severity == domain.Low && r.Reached()
	}
	return false
}

// rowOf returns the first line of the table that holds.
func rowOf(r routed) routeRow {
	for _, row := range routes {
		if row.holds(r) {
			return row
		}
	}
	return routeRow{to: toStore, why: whyMinor}
}

// route decides where a new finding is shown, before limits, and why one is only
// stored.
func route(it *finding.Item, policy domain.Policy) (domain.Route, string) {
	r := routed{it, policy}
	row := rowOf(r)
	it.Aside = ""
	if row.to != toStore && r.waits() {
		it.Aside = wording.English(wording.AsideLaterRound)
		return domain.RouteSummary, ""
	}
	switch row.to {
	case toLine:
		if r.intended() {
			it.Aside = wording.English(wording.AsideIntended)
			return domain.RouteSummary, ""
		}
		return placed(it), ""
	case toSummary:
		if row.aside != 0 && it.Severity > domain.Low { // minor ones are folded under a heading
			it.Aside = wording.English(row.aside)
		}
		return domain.RouteSummary, ""
	}
	return domain.RouteStored, row.why
}

// placed is inline where the host can show a comment on the line, else the summary, with the
// reason.
func placed(it *finding.Item) domain.Route {
	if it.Anchor.Level == domain.AnchorLine {
		if !it.Reviewed || it.Mandatory || it.Severity >= domain.High {
			return domain.RouteInline
		}
		it.Aside = wording.English(wording.AsideReviewed)
		return domain.RouteSummary
	}
	it.Aside = wording.English(cmp.Or(it.Lineless, wording.AsideNoLine))
	return domain.RouteSummary
}

// lineless says why a finding about a file of a change has no line.
func lineless(a domain.Anchor, set *diff.Set) wording.Key {
	f := set.File(a.Path)
	switch {
	case a.Level == domain.AnchorLine || f == nil:
		return wording.AsideNoLine
	case f.Omitted != "":
		return wording.AsideLarge
	case f.Binary:
		return wording.AsideBinary
	case a.Quote != "":
		return wording.AsideOutside
	}
	return wording.AsideNoLine
}
