package analytics

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// FixFigures count what became of the findings of fix runs. A finding counts once in each of its fix runs.
type FixFigures struct {
	Span
	Runs     int64         `json:"runs" doc:"Fix runs that were requested in these days"`
	Open     int64         `json:"open" doc:"Of the runs, those without outcomes that go on"`
	Proposed int64         `json:"proposed" doc:"Findings for which a model proposed edits"`
	Passed   int64         `json:"passed" doc:"Findings whose edits passed all checks"`
	Accepted int64         `json:"accepted" doc:"Passed, then found in the code by a later review, with the finding still resolved"`
	Refused  []FixRefusals `json:"refused" doc:"Findings without a fix by reason, the most frequent reason first"`
}

// FixRefusals count the findings that one reason left without a fix.
type FixRefusals struct {
	Reason   string `json:"reason" doc:"Name of the reason"`
	Sentence string `json:"sentence" doc:"The reason in words"`
	Findings int64  `json:"findings"`
}

// Fixes counts the fix runs of a repository that were created from one day to another, as [Service.Costs] reads days. It leaves
// [FixRefusals.Sentence] empty. Errors: Invalid.
func (s *Service) Fixes(ctx context.Context, t domain.Tenant, repository, from, to string) (FixFigures, error) {
	out := FixFigures{Refused: []FixRefusals{}}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return out, err
	}
	if out.Span, err = span(now, from, to); err != nil {
		return out, err
	}
	begin, end, err := out.us()
	if err != nil {
		return out, err
	}
	counts, refused, err := s.Store.FixFigures(ctx, t, repository, begin, end)
	out.Runs, out.Open, out.Proposed, out.Passed, out.Accepted = counts.Runs, counts.Open, counts.Proposed, counts.Passed, counts.Accepted
	for _, r := range refused {
		out.Refused = append(out.Refused, FixRefusals{Reason: r.Reason, Findings: r.Findings})
	}
	return out, err
}
