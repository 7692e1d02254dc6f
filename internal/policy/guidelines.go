package policy

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Sentence is one of a guideline file.
type Sentence struct {
	ID   string `json:"id"` // stays while the file has the sentence
	Text string `json:"text"`
}

// Guideline is a sentence of a guideline file as reviews hold it against changes.
type Guideline struct {
	Sentence
	File          string
	Paths, Except []string // patterns of the files that it is about, and of those that it is not about
	Commit        string   // of the default branch, at which it was read
	ReadUS        int64
	Inactive      string // why it is not applied: ruleCategoryOff; "" if it is
}

// Guidelines lists the sentences of the guideline files of a repository's default
// branch, by file, as the last reviews have read them: no file is read and no model
// is asked here. There are none where the policy p, which holds, wants none.
func Guidelines(ctx context.Context, s *store.Store, t domain.Tenant, repository string, p domain.Policy) ([]Guideline, error) {
	if !p.GuidelineFiles {
		return nil, nil
	}
	files, err := s.GuidelineFiles(ctx, t, repository)
	if err != nil {
		return nil, err
	}
	inactive := ""
	if !p.Allows(domain.CategoryRule) {
		inactive = ruleCategoryOff
	}
	var out []Guideline
	for _, f := range files {
		for _, sentence := range store.FromJSON[[]Sentence](f.Sentences) {
			out = append(out, Guideline{Sentence: sentence, File: f.Path, Paths: store.FromJSON[[]string](f.Paths), Except: store.FromJSON[[]string](f.Except),
				Commit: f.CommitSHA, ReadUS: f.ReadUS, Inactive: inactive})
		}
	}
	return out, nil
}
