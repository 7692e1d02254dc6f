package gitea

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// RequireChecks lets pull requests of a repository merge only while statuses with these contexts pass at their head.
// Without names it removes the requirement.
func (s *Server) RequireChecks(fullName string, names ...string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	r.Required = names
	s.Touch()
	return nil
}

// Mergeable returns an error that names a required status that keeps a pull request from its merge, nil if none does.
func (s *Server) Mergeable(fullName string, number int) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r, p, err := s.st.find(fullName, number)
	if err != nil {
		return err
	}
	return s.unmet(r, p.HeadSHA)
}

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
