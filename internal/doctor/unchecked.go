package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
)

// unchecked reports open heads without a check, for which a host that requires the check waits.
func (e *examination) unchecked(ctx context.Context) {
	const code, name = "D026", "heads with checks"
	if e.skipped(code, name) {
		return
	}
	found, err := e.store.UncheckedHeads(ctx)
	if err != nil {
		e.add(code, name, Fail, "the heads cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	}
	var waiting, older int64
	example := ""
	for _, h := range found {
		p, _, err := policy.Effective(ctx, e.store, domain.Tenant{ID: h.Tenant}, h.Repository)
		if err != nil {
			e.add(code, name, Fail, "the policy of a repository cannot be read: "+clip.Line(err.Error()), "See D004.")
			return
		}
		if !p.Enabled || p.PublishMode == domain.PublishSilent {
			continue
		}
		if waiting, older = waiting+h.WithRun, older+h.WithoutRun; example == "" {
			example = fmt.Sprintf(" (such as #%d of %s, since %s)", h.Number, h.Repository, time.UnixMicro(h.SinceUS).UTC().Format(time.RFC3339))
		}
	}
	switch {
	case waiting > 0:
		e.add(code, name, Warn, fmt.Sprintf("%d open heads with a run have no check, and %d without a run%s", waiting, older, example),
			"The sweep makes missing checks within two hours. See that the app may write checks, and look for dead letters (D016); "+
				"`/assay review` in a comment reviews a head.")
	case older > 0:
		e.add(code, name, OK, fmt.Sprintf("%d open heads have no check, because no event has asked for a review of them since their "+
			"repository was connected%s", older, example), "")
	default:
		e.add(code, name, OK, "each open head has a check", "")
	}
}
