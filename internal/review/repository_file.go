package review

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/store"
)

// withFile reads the repository's own file at the target commit, and resolves the subject's policy with it. It changes nothing
// if the policy ignores the file, or if the subject has no levels of a policy. notes say what in the file has no effect. The
// file counts from the target commit alone, never from the head or the merge base, which the author chooses. If the commit or
// the file cannot be had at all, the file has no effect, and notes say so; other errors of reading it are returned, so that the
// job tries again.
func (s *Subject) withFile(ctx context.Context, snap Snapshot) (rules []engine.Rule, notes []string, err error) {
	if !s.readsFile() {
		return nil, nil, nil
	}
	file, err := repofile.Read(ctx, atBase{snap, s.Base}, s.Base)
	unread := errors.Is(err, errNoBase)
	switch {
	case unread:
		file = repofile.Unread(s.Base)
	case err != nil:
		return nil, nil, err
	}
	s.Levels.File = store.JSON(file)
	got, err := policy.ResolveAll(s.Levels)
	if err != nil {
		return nil, nil, err
	}
	s.Policy, s.Rules = got.Policy, policy.Applied(s.Rules, got.Policy)
	for _, r := range got.Active() {
		rules = append(rules, repofile.Rule(r))
	}
	for _, n := range got.Notes {
		notes = append(notes, n.String())
	}
	if s.KeepFile != nil && !unread {
		s.KeepFile(ctx, s.Levels.File)
	}
	return rules, notes, nil
}

// checksOff lists the settings that switch deterministic checks off, with the file as [Subject.withFile] has read it.
func (s *Subject) checksOff() ([]string, error) {
	if s.Levels == (store.PolicySources{}) {
		return nil, nil
	}
	_, settings, err := policy.Resolve(s.Levels)
	return policy.ChecksOff(settings), err
}

// readsFile reports whether a review of the subject reads the repository's file.
func (s *Subject) readsFile() bool {
	return s.Base != "" && s.Levels != (store.PolicySources{}) && s.Policy.RepositoryFile != policy.FileIgnore
}

// errNoBase means that no later attempt reads the file at the target commit: the snapshot lacks the commit, or the host refuses.
var errNoBase = errors.New("the target commit is not available")

// atBase is the target's version of the files, which the snapshot may lack.
type atBase struct {
	snap   Snapshot
	commit string
}

// Blob implements [repofile.Tree].
func (a atBase) Blob(ctx context.Context, path string) ([]byte, error) {
	tree := a.snap.At(a.commit)
	if tree == nil {
		return nil, errNoBase
	}
	raw, err := tree.Blob(ctx, path)
	if c := codehost.ClassOf(err); c == codehost.ClassForbidden || c == codehost.ClassInvalid {
		return nil, errors.Join(errNoBase, err)
	}
	return raw, err
}

// keepFile stores the file that a review has read from the default branch, for everything that looks at the settings later. A
// failure does not stop the review.
func (w *work) keepFile(ctx context.Context, body string) {
	err := w.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
		if err != nil || row.DefaultBranch != w.target.branch {
			return err
		}
		before, _, _, err := w.Store.Setting(ctx, w.run.Owner(), w.run.Repository, store.SettingFile)
		if err != nil || before == body {
			return err
		}
		return w.Store.PutSetting(ctx, w.run.Owner(), w.run.Repository, store.SettingFile, body)
	})
	if err != nil {
		w.log.WarnContext(ctx, "the repository's file could not be stored", "error", err)
	}
}
