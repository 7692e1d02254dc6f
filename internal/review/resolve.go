package review

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// setResolved closes the thread of a finding that is gone, or opens that of one that is back,
// where the host lets us. Elsewhere the words of the comment say it alone.
func (r *reflection) setResolved(ctx context.Context, comment domain.HostID, resolved bool) error {
	host, ok := codehost.ResolverOf(r.host)
	if !ok {
		return nil
	}
	verb := "reopen thread"
	if resolved {
		verb = "resolve thread"
	}
	err := r.write(ctx, verb, fmt.Sprint(comment), func(ctx context.Context) error {
		return host.SetResolved(ctx, r.repo, r.run.Number, comment, resolved)
	})
	if refused(err) {
		r.Logger.WarnContext(ctx, "a thread could not be resolved or opened; its comment says what became of the finding", "run", r.run.ID, "resolved", resolved, "error", err)
		return nil
	}
	return err
}
