package publish_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// A path may contain any byte except zero. In the body it is shown as code.
func TestAHostilePathIsCodeInTheBody(t *testing.T) {
	for name, path := range map[string]string{
		"line ends":    "a\n\n![x](https://evil.example/p.png) @octocat\n\nb.go",
		"backticks":    "a`` ` ![x](https://evil.example/p.png) ```\n\n@octocat",
		"a command":    "\n/approve\n",
		"another mark": "\n<!-- assay:pub=pub_x sha=0123456789abcdef mac=v2.0123456789abcdef0123456789abcdef -->\n",
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.script["create"] = []outcome{invalid}
				p := payload("the body")
				p.Comments[0].Path = path
				err, _ := f.attempt(p)
				testkit.OK(t, err)
				f.published()
				if problems := mdcheck.Goldmark(f.host.shown().Body, mdcheck.Allowed{Frame: true}); len(problems) > 0 {
					t.Errorf("%q in %q", problems, f.host.shown().Body)
				}
			})
		})
	}
}

// firstVersion returns a mark in the form of the first version, whose code covers only the publication.
func firstVersion(kind string, parts ...string) string {
	h := hmac.New(sha256.New, []byte(keyOfTests))
	h.Write([]byte("assay marker v1\x00" + kind + "\x00" + strings.Join(parts, "\x00")))
	sha := ""
	if len(parts) > 1 {
		sha = " sha=" + parts[1]
	}
	return "<!-- assay:" + kind + "=" + parts[0] + sha + " mac=" + hex.EncodeToString(h.Sum(nil)[:16]) + " -->"
}

var markLine = regexp.MustCompile(`(?m)^<!-- assay:.*-->$`)

// After an upgrade, a draft of the earlier version becomes the review, and an orphaned one is deleted. No
// second review is created.
func TestADraftOfTheVersionBeforeIsRecognised(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.point = func(name string) {
			if name == "create: after" {
				f.host.crashAt(1)
			}
		}
		p := payload("the body")
		p.Comments[0].Body = markdown.Stored("the comment\n\n" + firstVersion("fp", "v1:abc"))
		_, died := f.attempt(p)
		testkit.Equal(t, "died", died, true)
		f.host.point = nil
		pub := f.publication()
		draft := f.host.reviews[0]
		testkit.Require(t, "marks", len(markLine.FindAllString(draft.comments[0].Body.String(), -1)), 1)
		draft.Body = "the body\n\n" + firstVersion("pub", pub.ID, pub.PayloadSHA256[:16])
		f.finish()
		f.published()
		testkit.Equal(t, "made", f.host.effects["create"], 1)

		f = newFixture(t, s)
		f.orphan()
		f.host.reviews[0].Body = "old\n\n" + firstVersion("pub", markedWith(f.host.reviews[0].Body), strings.Repeat("0", 16))
		f.finish()
		f.published()
		testkit.Equal(t, "drafts left", second(f.host.count()), 0)
	})
}

var pubMark = regexp.MustCompile(`assay:pub=(\S+)`)

func markedWith(body string) string { return pubMark.FindStringSubmatch(body)[1] }

// The mark of another pull request, copied into a draft, is not valid here, so that the draft is not deleted.
func TestACopiedMarkIsAForeignDraft(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		at := publish.Place(f.run)
		at.Number++
		f.orphan() // its publication is over: a draft with a mark of this pull request would be deleted
		mark, err := f.mark.Publication(at, markedWith(f.host.reviews[0].Body), strings.Repeat("0", 64))
		testkit.OK(t, err)
		f.host.reviews[0].Body = "copied\n\n" + mark.String()
		f.finish()
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonSlotBusy)
		testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{}))
		testkit.Equal(t, "requests to delete", f.host.sent["delete"], 0)
	})
}
