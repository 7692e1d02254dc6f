package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

const twoFunctions = `package auth

func isDebug(u User) bool {
	log(u)
	trace(u)
	check(u)
	leave(u)
	return false
}

func isAdmin(u User) bool {
	log(u)
	trace(u)
	check(u)
	leave(u)
	return false
}
`

const twoRoles = `roles:
  debug:
    rights:
      read: true
      list: true
      watch: true
      write: false
      audit: true
  admin:
    rights:
      read: true
      list: true
      watch: true
      write: false
      audit: true
`

// nth replaces the n-th occurrence of a text, counted from 0.
func nth(s, old, new string, n int) string {
	parts := strings.Split(s, old)
	return strings.Join(parts[:n+1], old) + new + strings.Join(parts[n+1:], old)
}

// Code that a model has reviewed in one place is reviewed again in another place, even if its lines and
// those around it are the same. Code that only moved with its surroundings is not.
func TestMovedHunks(t *testing.T) {
	t.Parallel()
	const branches = "package auth\n\nfunc f(u User) bool {\n\tif debug {\n\t\tlog(u)\n\t\ttrace(u)\n\t\tcheck(u)\n\t\treturn false\n\t}\n\tif admin {\n\t\tlog(u)\n\t\ttrace(u)\n\t\tcheck(u)\n\t\treturn false\n\t}\n\treturn false\n}\n"
	yes := func(s string, n int) string { return nth(s, "return false", "return true", n) }
	grant := func(s string, n int) string { return nth(s, "write: false", "write: true", n) }
	added := "// one more\n// comment\n"
	for name, tt := range map[string]struct {
		path                 string
		base, first          string
		laterBase, laterHead string
		again                bool
	}{
		"into another function":   {"auth/a.go", twoFunctions, yes(twoFunctions, 0), twoFunctions, yes(twoFunctions, 1), true},
		"into another branch":     {"auth/a.go", branches, yes(branches, 0), branches, yes(branches, 1), true},
		"into another role":       {"roles.yaml", twoRoles, grant(twoRoles, 0), twoRoles, grant(twoRoles, 1), true},
		"the same once more":      {"auth/a.go", twoFunctions, yes(twoFunctions, 0), twoFunctions, yes(yes(twoFunctions, 0), 0), true},
		"nothing":                 {"auth/a.go", twoFunctions, yes(twoFunctions, 0), twoFunctions, yes(twoFunctions, 0), false},
		"rebase, lines above":     {"auth/a.go", twoFunctions, yes(twoFunctions, 0), added + twoFunctions, added + yes(twoFunctions, 0), false},
		"rebase, context spaced":  {"auth/a.go", twoFunctions, yes(twoFunctions, 0), strings.ReplaceAll(twoFunctions, "leave(u)", "leave( u )"), yes(strings.ReplaceAll(twoFunctions, "leave(u)", "leave( u )"), 0), false},
		"rebase, context changed": {"auth/a.go", twoFunctions, yes(twoFunctions, 0), strings.ReplaceAll(twoFunctions, "leave(u)", "grant(u)"), yes(strings.ReplaceAll(twoFunctions, "leave(u)", "grant(u)"), 0), true},
		"rebase, symbol renamed":  {"auth/a.go", twoFunctions, yes(twoFunctions, 0), strings.ReplaceAll(twoFunctions, "isDebug", "isAllowed"), yes(strings.ReplaceAll(twoFunctions, "isDebug", "isAllowed"), 0), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(), verify: confirmAll}
			in := sampleChange(t)
			in.Models, in.Tier = models(m), tierT2 // one pass
			look := func(base, head string) Result {
				in.Diff, in.Source = []byte(enginetest.Unified(tt.path, base, head)), enginetest.Files{"LEFT:" + tt.path: base, "RIGHT:" + tt.path: head}
				return review(t, in, Deps{})
			}
			first := look(tt.base, tt.first)
			if m.count("generate") != 1 || len(first.Hunks) != 1 || len(first.Hunks[0]) != 64 {
				t.Fatalf("%d calls, hunks %v", m.count("generate"), first.Hunks)
			}
			in.ReviewedHunks = map[string]bool{first.Hunks[0]: true}
			look(tt.laterBase, tt.laterHead)
			if again := m.count("generate") == 2; again != tt.again {
				t.Errorf("looked at again: %v, want %v", again, tt.again)
			}
		})
	}
}

// Equal hunks of one file count as one until another equal one appears. Then all are new.
func TestEqualHunks(t *testing.T) {
	t.Parallel()
	ids := func(hunks ...string) map[string]int {
		set, err := diff.Parse([]byte("diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n" + strings.Join(hunks, "")))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]int{}
		for _, h := range set.Files[0].Hunks {
			out[h.ID]++
		}
		return out
	}
	const body = " a\n b\n c\n-old\n+new\n d\n e\n f\n"
	one, two := ids("@@ -1,7 +1,7 @@\n"+body), ids("@@ -1,7 +1,7 @@\n"+body, "@@ -14,7 +14,7 @@\n"+body)
	if len(one) != 1 || len(two) != 1 {
		t.Fatalf("%v, %v", one, two)
	}
	for id := range one {
		if two[id] != 0 {
			t.Error("a further equal hunk has the identifier of the one that was reviewed")
		}
	}
}
