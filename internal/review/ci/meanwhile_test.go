package ci_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A policy that changes while the model is asked is followed: nothing is written, and an unwanted analysis is cancelled.
func TestThePolicyChangesMeanwhile(t *testing.T) {
	for policy, want := range map[string]domain.CIState{
		`{"ciAnalysis":"off"}`:                        domain.CICancelled,
		`{"enabled":false,"ciAnalysis":"all"}`:        domain.CICancelled,
		`{"ciAnalysis":"all","publishMode":"silent"}`: domain.CICompleted,
	} {
		t.Run(policy, func(t *testing.T) {
			reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
				start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
				f.Models.Set(func(int) (llm.Response, error) {
					f.Policy(policy)
					return llm.Response{Text: explained, StopReason: llm.StopEnd}, nil
				})
				f.Deliver(ended("a", "failure"))
				testkit.Equal(t, "state "+all(t, f)[0].Reason, all(t, f)[0].State, want)
				testkit.Equal(t, "comments", len(comments(f)), 0)
			})
		})
	}
}

// The comment of a pull request that is locked for a while is written at the next look, and given up after ten
// refusals in a row.
func TestALockedPullRequest(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		look := func(id int) {
			ev := ended("a", "failure")
			ev.Check.ID = domain.NumberID(int64(id))
			f.Deliver(ev)
		}
		f.Host.Fail("reply", &codehost.Error{Class: codehost.ClassForbidden, Status: 403})
		look(1)
		testkit.Equal(t, "comments while it is locked", len(comments(f)), 0)
		f.Host.Fail("reply", nil)
		look(2)
		testkit.Equal(t, "comments after that", len(comments(f)), 1)

		f.Host.Fail("edit reply", &codehost.Error{Class: codehost.ClassForbidden, Status: 403})
		f.Host.Builds.Jobs[storetest.SHA("a")] = []codehost.Job{job("7", "test", "failure"), job("9", "lint", "failure")}
		for i := range 12 {
			look(10 + i)
		}
		v, err := f.Store.CIComment(bg, f.World.Tenant, f.Runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "state", v.State, store.CICommentGone)
		testkit.Equal(t, "writes: one that was refused, one, and ten that were refused", intents(t, f, v.ID), 12)
	})
}

// The comment is in the language of the policy: why there is no log, what is left out, and what the patterns found.
func TestTheCommentInAnotherLanguage(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		list := []codehost.Job{job("7", "gone", "failure"), job("8", "unknown", "failure"), job("9", "many", "failure")}
		for i := range domain.MaxCIPerHead {
			list = append(list, job(fmt.Sprint(20+i), fmt.Sprint("job-", i), "failure"))
		}
		start(f, `{"ciAnalysis":"required","language":"de"}`, list...)
		f.Host.Builds.Logs["8"] = "quux\nquux broke\n"
		f.Host.Builds.Logs["9"] = ""
		for _, test := range []string{"A", "B", "C", "D"} {
			f.Host.Builds.Logs["9"] += strings.ReplaceAll(goLog, "Half", test)
		}
		delete(f.Host.Builds.Logs, "7")
		f.Deliver(ended("a", "failure"))
		body := comments(f)[0].Body
		for _, want := range []string{"Kein Protokoll: Der Host hat das Protokoll nicht mehr",
			"Das Protokoll enthält keinen Fehler eines Werkzeugs", "; und 1 weitere",
			"Nicht analysiert: `build / job-7`, `build / job-8`, `build / job-9`",
			"Fehlgeschlagene Jobs jenseits der Grenzen: 3. assay analysiert höchstens 10 je Head",
			"Der Host sagt nicht, welche Jobs er für einen Merge verlangt"} {
			if !strings.Contains(body, want) {
				t.Errorf("the comment lacks %q", want)
			}
		}
		for _, not := range []string{"The host", "The log", "more", "Failed jobs"} {
			if strings.Contains(body, not) {
				t.Errorf("the comment has %q: %s", not, body)
			}
		}
	})
}

// A log that the host refuses is named on the page and in the comment.
func TestARefusedLogIsNamed(t *testing.T) {
	for class, want := range map[codehost.Class]string{codehost.ClassNotFound: "does not have the log any more",
		codehost.ClassForbidden: "actions: read", codehost.ClassTooLarge: "too large"} {
		t.Run(string(class), func(t *testing.T) {
			reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
				start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
				f.Host.Fail("log", &codehost.Error{Class: class})
				f.Deliver(ended("a", "failure"))
				v := all(t, f)[0]
				testkit.Equal(t, "the page", v.State == domain.CICompleted && strings.Contains(v.NoLog, want), true)
				testkit.Equal(t, "the comment", strings.Contains(comments(f)[0].Body, want), true)
			})
		})
	}
}

// A host that requires every job that must not fail has all failures analysed, and the comment does not claim otherwise.
func TestEveryJobIsRequired(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Builds.AllRequired = true
		start(f, `{"ciAnalysis":"required"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		testkit.Equal(t, "analyses", states(t, f), "build / test completed")
		testkit.Equal(t, "says that nothing is known", strings.Contains(comments(f)[0].Body, "does not say"), false)
	})
}
