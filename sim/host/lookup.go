package host

import (
	"context"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Lookup finds repositories R and pull requests P of a code host by their names in the control interface, and has the commands that need no
// more of the host's state. Its functions are called with [Server.Mu], its methods without. A code host embeds it.
type Lookup[R, P any] struct {
	Host     *Server
	Named    func(repo string) (R, error)
	Numbered func(repo string, number int) (R, P, error)
	Shown    func(R, P) simapi.Pull
	// Required points to the names of a repository's required checks, and Unmet returns an error that explains why a pull request cannot be
	// merged.
	Required func(R) *[]string
	Unmet    func(R, P) error
}

// FindRepo returns a repository.
func (l *Lookup[R, P]) FindRepo(repo string) (R, error) {
	l.Host.Mu.Lock()
	defer l.Host.Mu.Unlock()
	return l.Named(repo)
}

// HasRepo reports whether a repository exists.
func (l *Lookup[R, P]) HasRepo(repo string) bool {
	_, err := l.FindRepo(repo)
	return err == nil
}

// GetPull describes a pull request.
func (l *Lookup[R, P]) GetPull(_ context.Context, repo string, number int) (simapi.Pull, error) {
	return OnPull(l, repo, number, func(r R, p P) (simapi.Pull, error) { return l.Shown(r, p), nil })
}

// OnPull calls f with a pull request while [Server.Mu] is held, and returns what f returns.
func OnPull[R, P, Out any](l *Lookup[R, P], repo string, number int, f func(R, P) (Out, error)) (out Out, err error) {
	l.Host.Mu.Lock()
	defer l.Host.Mu.Unlock()
	r, p, err := l.Numbered(repo, number)
	if err != nil {
		return out, err
	}
	return f(r, p)
}

// RequireChecks lets pull requests of a repository merge only while checks with these names pass at their head. Without names it removes
// the requirement.
func (l *Lookup[R, P]) RequireChecks(repo string, names ...string) error {
	l.Host.Mu.Lock()
	defer l.Host.Mu.Unlock()
	r, err := l.Named(repo)
	if err != nil {
		return err
	}
	*l.Required(r) = names
	l.Host.Touch()
	return nil
}

// Mergeable returns an error that explains why a pull request cannot be merged, nil if it can.
func (l *Lookup[R, P]) Mergeable(repo string, number int) error {
	l.Host.Mu.Lock()
	defer l.Host.Mu.Unlock()
	r, p, err := l.Numbered(repo, number)
	if err != nil {
		return err
	}
	return l.Unmet(r, p)
}
