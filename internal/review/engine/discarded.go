package engine

import (
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxDiscarded is how many candidates a review keeps that came to nothing; beyond
// them [Stats.Dropped] counts.
const maxDiscarded = 200

// The stages at which candidates are discarded, in their order.
const (
	discardedPlace    = "place"    // its words, its place or what it quotes do not stand up to the code
	discardedMerge    = "merge"    // another candidate says the same
	discardedDecision = "decision" // a person has dismissed it, or a suppression holds
	discardedVerify   = "verify"   // the checker of claims did not confirm it, or says it is not of this change
	discardedOthers   = "others"   // another author has said it already
	discardedPolicy   = "policy"   // the policy does not want it
	discardedRank     = "rank"     // too little to be said beside the others
)

// discardedAt is the stage of each reason for which a candidate goes no further.
var discardedAt = map[string]string{
	whySchema: discardedPlace, whyOtherRule: discardedPlace, whyAnchor: discardedPlace, whyEvidence: discardedPlace,
	whyDuplicate: discardedMerge,
	whyDismissed: discardedDecision, whySuppressed: discardedDecision,
	whyRefuted: discardedVerify, whyUnrelated: discardedVerify, whyPreExisting: discardedVerify, whyUnproven: discardedVerify,
	whySaid: discardedOthers, whyTold: discardedOthers,
	whyCategory: discardedPolicy, whySeverity: discardedPolicy, whyConfidence: discardedPolicy, whyProfile: discardedPolicy,
	whyCalibrated:   discardedPolicy,
	whyExcludedPath: discardedPolicy,
	whyToolWords:    discardedPolicy,
	whyUnchanged:    discardedRank, whyMinor: discardedRank, whyLate: discardedRank, whyRepeated: discardedRank,
}

// Discarded is a candidate that the review does not show, and why. Its words hold no
// secret of the change.
type Discarded struct {
	Stage string // one of the constants
	Why   string // one of the reasons of [Stats.Dropped]
	// FindingID is the finding that stands for it: the one it was merged into, the
	// earlier one that a person has decided on, or itself if it is only stored; ""
	// without one.
	FindingID string
	// Finding holds its words, place, rule, severity and verdict.
	Finding domain.Finding
	// Check is the verifier's own verdict with its reason, before its quotations were weighed; "" where none was given.
	Check domain.Check

	into string // exact fingerprint of the finding that stands for it
}

// discard keeps a candidate that goes no further, as long as there is room.
func (w *work) discard(d Discarded) {
	if len(w.result.Discarded) >= maxDiscarded {
		return
	}
	d.Stage = discardedAt[d.Why]
	f := domain.Finding{Origin: d.Finding.Origin, RuleID: d.Finding.RuleID, Category: d.Finding.Category, Severity: d.Finding.Severity,
		Confidence: d.Finding.Confidence, SuppressedBy: d.Finding.SuppressedBy,
		Title: w.redact(d.Finding.Title), Explanation: w.redact(d.Finding.Explanation), Verdict: d.Finding.Verdict,
		VerdictWhy: w.redact(d.Finding.VerdictWhy)}
	f.Anchor = domain.Anchor{Path: w.redact(d.Finding.Anchor.Path), Side: d.Finding.Anchor.Side, StartLine: d.Finding.Anchor.StartLine,
		EndLine: d.Finding.Anchor.EndLine}
	d.Finding, d.Check.Reason = f, w.redact(d.Check.Reason)
	w.result.Discarded = append(w.result.Discarded, d)
}

// discardCandidate keeps a candidate as the model wrote it: its place was not found.
func (w *work) discardCandidate(c candidate, why string) {
	severity, _ := readSeverity(c.Severity)
	w.discard(Discarded{Why: why, Finding: domain.Finding{Origin: domain.OriginModel,
		RuleID: clip.Runes(change.OneLine(change.StripInvisible(c.RuleKey)), finding.MaxTitle, "…"), Category: c.Category, Severity: severity,
		Title:       clip.Runes(change.OneLine(change.StripInvisible(c.Title)), finding.MaxTitle, "…"),
		Explanation: change.Cut(strings.TrimSpace(change.StripInvisible(c.Explanation)), finding.MaxExplanation),
		Anchor: domain.Anchor{Path: clip.Runes(change.OneLine(change.StripInvisible(c.Path)), finding.MaxExplanation, "…"),
			Side: domain.Side(strings.ToUpper(clip.Runes(c.Side, 5, ""))), StartLine: max(c.Start, 0), EndLine: max(c.End, 0)}}})
}

// linkMerged sets FindingID of merged candidates to the finding that stands for them.
func (w *work) linkMerged() {
	ids := map[string]string{}
	for _, f := range w.result.Findings {
		if f.Fingerprints.Exact != "" {
			ids[f.Fingerprints.Exact] = f.ID
		}
	}
	for i, d := range w.result.Discarded {
		if d.FindingID == "" && d.into != "" {
			w.result.Discarded[i].FindingID = ids[d.into]
		}
	}
}
