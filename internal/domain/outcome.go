package domain

import "slices"

// OutcomeKind is a kind of evidence about the usefulness of a finding: what became of it, or a person's verdict on it.
type OutcomeKind string

// The kinds of outcomes.
const (
	OutcomeFixed      OutcomeKind = "fixed"       // a later commit of the pull request fixed the code
	OutcomeApplied    OutcomeKind = "applied"     // the suggestion was applied; replaces OutcomeFixed
	OutcomeThumbsUp   OutcomeKind = "thumbs_up"   // a person's reaction to the comment
	OutcomeThumbsDown OutcomeKind = "thumbs_down" // a person's reaction to the comment
	OutcomeDismissed  OutcomeKind = "dismissed"   // by a person with review permission
	OutcomeIgnored    OutcomeKind = "ignored"     // open in a comment when the pull request was merged
)

// OutcomeKinds lists every kind of outcome.
func OutcomeKinds() []OutcomeKind {
	return []OutcomeKind{OutcomeFixed, OutcomeApplied, OutcomeThumbsUp, OutcomeThumbsDown, OutcomeDismissed, OutcomeIgnored}
}

// codeOutcomes lists the kinds that the code decides, without a person. A finding has at most one of them.
func codeOutcomes() []OutcomeKind {
	return []OutcomeKind{OutcomeFixed, OutcomeApplied, OutcomeIgnored}
}

// ByCode reports whether the code decides the kind, without a person.
func (k OutcomeKind) ByCode() bool { return slices.Contains(codeOutcomes(), k) }

// Weight returns how much an outcome speaks for the usefulness of its finding, from -1 to 1. It returns 0 for an
// unknown kind.
func (k OutcomeKind) Weight() float64 {
	switch k {
	case OutcomeFixed, OutcomeApplied:
		return 1
	case OutcomeThumbsUp:
		return 0.7
	case OutcomeThumbsDown:
		return -1
	case OutcomeDismissed:
		return -0.8
	case OutcomeIgnored:
		return -0.15
	}
	return 0
}

// Outcome is one piece of evidence about the usefulness of a finding. A finding has at most one outcome per kind and person.
type Outcome struct {
	Repository, PullRequest, Finding string
	RuleID                           string // of the finding when the outcome was stored
	Category                         Category
	Confidence                       float64 // 0..1
	Kind                             OutcomeKind
	Person                           string // our id, or [HostPerson]; "" for kinds that the code decides
	Name                             string // of the person; text from outside
	AtUS                             int64  // when it was stored first
}
