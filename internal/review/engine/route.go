package engine

import (
	"github.com/assay-dev/assay/internal/domain"
)

// Thresholds of the routing table.
const (
	inlineHighConfidence   = 0.55
	inlineMediumConfidence = 0.70
	worthALookConfidence   = 0.40
)

// Reasons for which a finding is stored only; the keys of [Stats.Dropped].
const (
	whyRefuted     = "refuted"
	whyUnrelated   = "unrelated"
	whyPreExisting = "pre-existing"
	whyCategory    = "category off"
	whySeverity    = "below minimum severity"
	whyConfidence  = "below minimum confidence"
	whyProfile     = "profile"
	whyUnproven    = "unproven"
	whyUnchanged   = "on an unchanged line"
	whyMinor       = "minor"
	whyLate        = "on code that was reviewed before"
	whyRepeated    = "repeated pattern"
	whyDismissed   = "dismissed"
	whySuppressed  = "suppressed"
	whyAnchor      = "no valid anchor"
	whySchema      = "not as the schema asks"
	whyEvidence    = "false quote"
	whyDuplicate   = "duplicate"
	whyCanary      = "answer discarded"
	whyTooMany     = "too many for one answer"
)

// route decides where a new finding is shown, before limits.
func route(it *item, policy domain.Policy) (domain.Route, string) {
	if it.mandatory { // never filtered, whatever the policy says of categories or severity
		return placed(it), ""
	}
	f := &it.f
	switch {
	case !policy.Allows(f.Category):
		return domain.RouteStored, whyCategory
	case f.Severity < policy.MinSeverity:
		return domain.RouteStored, whySeverity
	case policy.Profile == "quiet" && f.Severity < domain.High:
		return domain.RouteStored, whyProfile
	}
	if it.deterministic() {
		return routeDeterministic(it, policy)
	}
	switch {
	case f.Verdict == domain.VerdictRefuted:
		return domain.RouteStored, whyRefuted
	case f.Scope == "unrelated":
		return domain.RouteStored, whyUnrelated
	case f.Confidence < policy.MinConfidence:
		return domain.RouteStored, whyConfidence
	case f.Verdict == domain.VerdictUnproven:
		if f.Severity >= domain.High && f.Confidence >= worthALookConfidence && f.Scope != "pre_existing" {
			return domain.RouteSummary, ""
		}
		return domain.RouteStored, whyUnproven
	case f.Scope == "pre_existing":
		if f.Severity >= domain.High {
			return domain.RouteSummary, ""
		}
		return domain.RouteStored, whyPreExisting
	}
	return routeConfirmed(it, policy)
}

func routeConfirmed(it *item, policy domain.Policy) (domain.Route, string) {
	f := &it.f
	soft := f.Category == domain.CategoryMaintainability || f.Category == domain.CategoryDocs
	assertive := policy.Profile == "assertive"
	switch {
	case f.Severity >= domain.High && f.Confidence >= inlineHighConfidence && !soft:
		return placed(it), ""
	case f.Severity == domain.Medium && f.Confidence >= inlineMediumConfidence && !soft:
		return placed(it), ""
	case (f.Severity == domain.Low || soft) && f.Confidence >= inlineHighConfidence:
		if assertive || f.Category == domain.CategoryRule {
			return placed(it), ""
		}
		return domain.RouteSummary, ""
	case f.Severity >= domain.Medium && f.Confidence >= worthALookConfidence:
		return domain.RouteSummary, ""
	}
	return domain.RouteStored, whyMinor
}

func routeDeterministic(it *item, policy domain.Policy) (domain.Route, string) {
	f := &it.f
	static := f.Origin == domain.OriginStatic
	switch {
	case static && f.Anchor.Level == domain.AnchorLine && !it.changed:
		return domain.RouteStored, whyUnchanged // counted in the summary
	case f.Severity >= domain.Medium:
		return placed(it), ""
	case policy.Profile == "assertive" || !static:
		return domain.RouteSummary, ""
	}
	return domain.RouteStored, whyMinor
}

// placed is inline where the host can show a comment on the line, else the summary.
func placed(it *item) domain.Route {
	if it.f.Anchor.Level == domain.AnchorLine {
		if !it.reviewed || it.mandatory || it.f.Severity >= domain.High {
			return domain.RouteInline
		}
	}
	return domain.RouteSummary
}
