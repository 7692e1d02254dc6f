package review

import "context"

// shownElsewhere returns the findings that a review of another pull request has shown, by their exact
// fingerprints.
func (w *work) shownElsewhere(ctx context.Context, prints []string) (map[string]bool, error) {
	shown, err := w.Store.ShownElsewhere(ctx, w.run.Owner(), w.run.Repository, w.run.PullRequest, prints)
	out := make(map[string]bool, len(shown))
	for _, p := range shown {
		out[p] = true
	}
	return out, err
}
