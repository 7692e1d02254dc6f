package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The sentences that a model picked from a text are kept. Beyond a bound, the least recently used ones
// are deleted.
func TestKeptGuidelineSentences(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, there, err := s.GuidelineSentences(bg, w.Tenant, "h0")
		testkit.OK(t, err)
		testkit.Equal(t, "kept at first", there, false)
		testkit.OK(t, s.SaveGuidelineSentences(bg, w.Tenant, "h0", `["a"]`))
		testkit.OK(t, s.SaveGuidelineSentences(bg, w.Tenant, "h0", `["b"]`))
		got, there, err := s.GuidelineSentences(bg, w.Tenant, "h0")
		testkit.OK(t, err)
		testkit.Equal(t, "the first one counts", fmt.Sprint(got, " ", there), `["a"] true`)
		raw(t, s, `UPDATE guideline_sentences SET used_us = 1`)
		raw(t, s, `INSERT INTO guideline_sentences (tenant_id, hash, sentences, used_us) VALUES ($1, 'older', '[]', 0)`, w.Tenant.ID)
		for i := range 498 {
			raw(t, s, `INSERT INTO guideline_sentences (tenant_id, hash, sentences, used_us) VALUES ($1, $2, '[]', 1000)`, w.Tenant.ID, fmt.Sprint("x", i))
		}
		_, _, err = s.GuidelineSentences(bg, w.Tenant, "h0") // reading is a use
		testkit.OK(t, err)
		testkit.OK(t, s.SaveGuidelineSentences(bg, w.Tenant, "one more", `[]`))
		for hash, want := range map[string]bool{"older": false, "h0": true, "x0": true, "one more": true} {
			_, there, err := s.GuidelineSentences(bg, w.Tenant, hash)
			testkit.OK(t, err)
			testkit.Equal(t, hash, there, want)
		}
	})
}

// The guideline files of a repository are those that the last review read. Files that are gone are
// deleted, and so are the oldest beyond a bound.
func TestGuidelineFilesOfARepository(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		file := func(path, sha string) store.GuidelineFile {
			return store.GuidelineFile{Path: path, CommitSHA: sha, Paths: `["a/**"]`, Except: `[]`, Sentences: `[{"id":"gdl_1","text":"Never."}]`}
		}
		list := func() (out string) {
			all, err := s.GuidelineFiles(bg, w.Tenant, w.Repository.ID)
			testkit.OK(t, err)
			for _, f := range all {
				out += f.Path + "@" + f.CommitSHA + " "
			}
			return out
		}
		save := func(gone []string, files ...store.GuidelineFile) {
			t.Helper()
			testkit.OK(t, s.SaveGuidelineFiles(bg, w.Tenant, w.Repository.ID, files, gone))
		}
		save(nil, file("b/AGENTS.md", "1"), file("AGENTS.md", "1"))
		save([]string{"CLAUDE.md"}, file("AGENTS.md", "2"))
		testkit.Equal(t, "after two reviews", list(), "AGENTS.md@2 b/AGENTS.md@1 ")
		save([]string{"b/AGENTS.md"})
		testkit.Equal(t, "after one was deleted", list(), "AGENTS.md@2 ")
		raw(t, s, `UPDATE guideline_files SET read_us = 1`)
		var many []store.GuidelineFile
		for i := range 200 {
			many = append(many, file(fmt.Sprintf("d%d/AGENTS.md", i), "3"))
		}
		save(nil, many...)
		all, err := s.GuidelineFiles(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		if len(all) != 200 || all[0].Path == "AGENTS.md" || all[0].Paths != `["a/**"]` || all[0].ReadUS < 2 {
			t.Errorf("%d files, the first is %+v", len(all), all[0])
		}
		wantKind(t, s.SaveGuidelineFiles(bg, w.Tenant, "rep_none", nil, nil), errs.NotFound)
	})
}
