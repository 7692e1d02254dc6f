package engine

import (
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// A review reports every stage when it begins: pages show the stage, and a run gets more time with each.
func TestAReviewReportsItsStages(t *testing.T) {
	t.Parallel()
	stages := func(in Input) string {
		var mu sync.Mutex
		var list []string
		review(t, in, Deps{Progress: func(p ask.Progress) {
			mu.Lock()
			defer mu.Unlock()
			if len(list) == 0 || list[len(list)-1] != p.Stage {
				list = append(list, p.Stage)
			}
		}})
		return strings.Join(list, ", ")
	}
	testkit.Equal(t, "without a model", stages(sampleChange(t)), "parse, check, triage, rank")

	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: confirmAll})
	testkit.Equal(t, "with a model", stages(in), "parse, check, triage, generate, verify, rank")
}
