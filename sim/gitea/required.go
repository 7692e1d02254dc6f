package gitea

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// unmet returns the error of a required status that does not pass at a head. The newest status of a context counts. It
// passes with success, and in Gitea with skipped (services/pull/commit_status.go and modules/commitstatus of Gitea
// 1.26). Mu is held.
func (s *Server) unmet(r *repository, head string) error {
	passing := []string{"success"}
	if s.version() == giteaVersion {
		passing = append(passing, "skipped")
	}
	return host.UnmetCheck(r.Required, func(name string) (string, bool) {
		for _, x := range slices.Backward(r.Statuses) {
			if x.SHA == head && x.Context == name {
				return x.State, slices.Contains(passing, x.State)
			}
		}
		return "", false
	})
}
