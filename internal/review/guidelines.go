package review

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/store"
)

// target is the destination of a pull request: a branch, and its commit at the first attempt of the run.
type target struct{ branch, commit string }

func (w *work) targetOf(pr codehost.PullRequest) target {
	return target{w.run.BaseRef, cmp.Or(w.run.BaseSHA, pr.BaseSHA)}
}

// keptSentences implements [engine.GuidelineStore] for a tenant.
type keptSentences struct {
	store  *store.Store
	tenant domain.Tenant
}

// Load implements [engine.GuidelineStore].
func (k keptSentences) Load(ctx context.Context, hash string) (sentences []string, found bool, err error) {
	raw, found, err := k.store.GuidelineSentences(ctx, k.tenant, hash)
	if err == nil && found {
		err = json.Unmarshal([]byte(raw), &sentences)
	}
	return sentences, found && err == nil, err
}

// Save implements [engine.GuidelineStore].
func (k keptSentences) Save(ctx context.Context, hash string, sentences []string) error {
	return k.store.SaveGuidelineSentences(ctx, k.tenant, hash, store.JSON(append([]string{}, sentences...)))
}

// saveGuidelines stores the guideline files of the default branch that a review has read, for people who look at the
// rules. A failure does not stop the review.
func (w *work) saveGuidelines(ctx context.Context, result engine.Result) {
	if result.Guidelines == nil {
		return
	}
	err := w.Store.InTx(ctx, func(ctx context.Context) error {
		row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
		if err != nil || row.DefaultBranch != w.target.branch {
			return err
		}
		before, err := w.Store.GuidelineFiles(ctx, w.run.Owner(), w.run.Repository)
		if err != nil {
			return err
		}
		return w.Store.SaveGuidelineFiles(ctx, w.run.Owner(), w.run.Repository, w.files(*result.Guidelines),
			staleGuidelines(before, *result.Guidelines))
	})
	if err != nil {
		w.log.WarnContext(ctx, "the guideline files could not be stored", "error", err)
	}
}

// files returns the rows of the read guideline files.
func (w *work) files(seen engine.GuidelinesSeen) (out []store.GuidelineFile) {
	settings := map[string][]policy.Sentence{} // of settings files, whose texts share a row
	for _, f := range seen.Files {
		sentences, paths := []policy.Sentence{}, f.Scope.Paths
		for _, s := range f.Sentences {
			sentences = append(sentences, policy.Sentence{ID: f.Scope.ID(f.Path, s), Text: s})
		}
		if guideline.IsSettings(f.Path) {
			for i := range sentences {
				sentences[i].Paths = paths
			}
			settings[f.Path] = append(settings[f.Path], sentences...)
			continue
		}
		out = append(out, w.guidelineRow(f.Path, paths, f.Scope.Except, sentences))
	}
	for file, sentences := range settings {
		out = append(out, w.guidelineRow(file, nil, nil, sentences))
	}
	return out
}

func (w *work) guidelineRow(file string, paths, except []string, sentences []policy.Sentence) store.GuidelineFile {
	return store.GuidelineFile{Path: file, CommitSHA: w.target.commit, Paths: store.JSON(append([]string{}, paths...)),
		Except: store.JSON(append([]string{}, except...)), Sentences: store.JSON(sentences)}
}

// staleGuidelines returns the stored files that were searched and not found, or that reviews do not use any more.
func staleGuidelines(before []store.GuidelineFile, seen engine.GuidelinesSeen) (out []string) {
	for _, f := range before {
		if slices.Contains(seen.Nothing, f.Path) || seen.Listed && slices.Contains(seen.Folders, guideline.Folder(f.Path)) &&
			!slices.Contains(seen.Present, f.Path) {
			out = append(out, f.Path)
		}
	}
	return out
}
