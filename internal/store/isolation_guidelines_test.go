package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var guidelinesIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		testkit.OK(t, s.SaveGuidelineSentences(bg, v.Tenant, "hash", `["Never."]`))
		testkit.OK(t, s.SaveGuidelineFiles(bg, v.Tenant, v.Repository.ID, []store.GuidelineFile{{Path: "AGENTS.md", CommitSHA: "c", Paths: "[]", Except: "[]", Sentences: "[]"}}, nil))
	},
	foreign: func(v victim) map[string][]any {
		evil := []store.GuidelineFile{{Path: "AGENTS.md", CommitSHA: "evil", Paths: "[]", Except: "[]", Sentences: "[]"}}
		return map[string][]any{
			"GuidelineSentences": {"hash"},
			"GuidelineFiles":     {v.Repository.ID},
			"SaveGuidelineFiles": {v.Repository.ID, evil, []string{"AGENTS.md"}},
		}
	},
	ownRows: map[string]string{"SaveGuidelineSentences": "what a tenant keeps is its own, whatever others keep under the same hash"},
}
