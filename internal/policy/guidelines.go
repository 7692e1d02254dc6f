package policy

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Sentence is one sentence of a guideline file.
type Sentence struct {
	ID   string `json:"id"` // stable while the file has the sentence
	Text string `json:"text"`
	// Paths are the patterns of the files that the sentence covers, if they differ from those of its file, as in
	// the settings files of other review tools.
	Paths []string `json:"paths,omitempty"`
}

// Guideline is a sentence of a guideline file, as reviews check changes against it.
type Guideline struct {
	Sentence
	File          string
	Paths, Except []string // patterns of files that the sentence covers, and of files that it does not
	Commit        string   // commit of the default branch at which the file was read
	ReadUS        int64
	Inactive      string // why the sentence is not applied: ruleCategoryOff; "" if it is
}

// Guidelines lists the sentences of the guideline files on the default branch, by file, as the last reviews
// read them. It reads stored rows only: no file, no model. It returns nil if p, the policy in effect, does
// not use guideline files.
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
			paths := sentence.Paths
			if len(paths) == 0 {
				paths = store.FromJSON[[]string](f.Paths)
			}
			out = append(out, Guideline{Sentence: sentence, File: f.Path, Paths: paths,
				Except: store.FromJSON[[]string](f.Except),
				Commit: f.CommitSHA, ReadUS: f.ReadUS, Inactive: inactive})
		}
	}
	return out, nil
}
