package upload_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/upload"
)

var bg = context.Background()

type fixture struct {
	storetest.World
	docs    sastdocs.Documents
	service *upload.Service
}

func newFixture(t *testing.T, s *store.Store) fixture {
	keys := storetest.Keyring(t, s)
	docs := sastdocs.Documents{Store: s, Keyring: keys}
	return fixture{storetest.Seed(t, s), docs, upload.New(upload.Config{Store: s, Documents: docs, Audit: audit.New(s, keys, telemetry.Discard()), Scan: featuretest.UploadScan()})}
}

func (f fixture) accept(body string) (store.SastRun, bool, error) {
	return f.service.Accept(bg, f.Tenant, upload.Upload{Repository: f.Repository.ID, HeadSHA: strings.Repeat("ab", 20), User: "usr_x", Body: []byte(body)})
}

// A secret scanner writes the value into the snippet, and may write it into a message. The stored document has neither, and the
// same document counts once.
func TestUploadsLoseTheirSecrets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
		body := fmt.Sprintf(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gitleaks"}},"results":[{"ruleId":"generic-api-key",`+
			`"message":{"text":"the token %s"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},`+
			`"region":{"startLine":3,"snippet":{"text":"hunter2-bare-value"}}}}]}]}]}`, token)
		row, made, err := f.accept(body)
		testkit.OK(t, err)
		testkit.Equal(t, "made", made, true)
		text, err := f.docs.Open(bg, f.Tenant, f.Repository.ID, row.ID)
		testkit.OK(t, err)
		stored, err := io.ReadAll(text)
		testkit.OK(t, err)
		if strings.Contains(string(stored), token) || strings.Contains(string(stored), "hunter2") || !strings.Contains(string(stored), `"startLine":3`) {
			t.Error(string(stored))
		}
		again, made, err := f.accept(body)
		testkit.OK(t, err)
		testkit.Equal(t, "again", fmt.Sprint(again.ID == row.ID, made), "true false")
		named, made, err := f.service.Accept(bg, f.Tenant, upload.Upload{Repository: f.Repository.ID, HeadSHA: row.HeadSHA, Tool: "scan", User: "usr_x", Body: []byte(body)})
		testkit.OK(t, err)
		testkit.Equal(t, "under another name", fmt.Sprint(named.ID != row.ID, made, strings.Contains(string(named.Analysers), `"scan"`)), "true true true")
	})
}

// A parameter of the address is named as the interface names the others.
func TestUploadsNameTheWrongParameter(t *testing.T) {
	t.Parallel()
	for pointer, in := range map[string]upload.Upload{
		"query/headSha": {HeadSHA: "abc"},
		"query/tool":    {HeadSHA: strings.Repeat("ab", 20), Tool: "a\nb"},
	} {
		var e *errs.Error
		if _, _, err := upload.New(upload.Config{}).Accept(bg, domain.Tenant{}, in); !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Pointer != pointer {
			t.Errorf("%s: %v", pointer, err)
		}
	}
}

// A broken run does not take the others with it, and the stored run names it.
func TestBrokenRunsAreNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		row, _, err := f.accept(`{"version":"2.1.0","runs":[null,{"tool":{"driver":{"name":"x"}},"results":[]},{"results":5}]}`)
		testkit.OK(t, err)
		testkit.Equal(t, "left out", row.LeftOut, `[{"analyser":"SARIF","why":"`+sarif.BrokenRun+`","unit":"runs","count":2,"examples":["runs[0]","runs[2]"]}]`)
		if !strings.Contains(row.Analysers, `"name":"x"`) {
			t.Error(row.Analysers)
		}
		_, _, err = f.accept(`{"version":"2.1.0","runs":[null]}`)
		testkit.Equal(t, "no good run", errs.Is(err, errs.Invalid), true)
	})
}

// An upload whose client has gone stores nothing and gives its place back.
func TestCancelledUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		gone, cancel := context.WithCancel(bg)
		cancel()
		for range 10 {
			_, _, err := f.service.Accept(gone, f.Tenant, upload.Upload{Repository: f.Repository.ID, HeadSHA: strings.Repeat("ab", 20), User: "usr_x",
				Body: []byte(`{"version":"2.1.0","runs":[]}`)})
			if err == nil {
				t.Fatal("a cancelled upload was stored")
			}
		}
		_, made, err := f.accept(`{"version":"2.1.0","runs":[]}`)
		testkit.OK(t, err)
		testkit.Equal(t, "made", made, true)
	})
}

// Uploads of one document at the same time are one row.
func TestUploadsAtTheSameTimeAreOneRow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		ids, made := make([]string, 8), make([]bool, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				row, fresh, err := f.accept(`{"version":"2.1.0","runs":[]}`)
				if err != nil {
					t.Error(err)
				}
				ids[i], made[i] = row.ID, fresh
			})
		}
		all.Wait()
		n := 0
		for i := range ids {
			if made[i] {
				n++
			}
			testkit.Equal(t, "id", ids[i], ids[0])
		}
		testkit.Equal(t, "made", n, 1)
	})
}

// A search for secrets that takes too long ends with an error that says what to do, and gives its place back.
func TestASlowSearchEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	f.service.Search = time.Millisecond
	f.service.Scan = sarif.Scan{MayHold: func(string) bool { return true }, Clean: func(ctx context.Context, text string) string {
		<-ctx.Done() // as a search that looks at each text for long
		return text
	}}
	for range 3 { // a process has two places
		_, _, err := f.accept(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"a long name"}},"results":[]}]}`)
		if !errs.Is(err, errs.TooLarge) || !strings.Contains(err.Error(), "Upload one document for each tool, or fewer results.") {
			t.Fatal(err)
		}
	}
	rows, err := f.docs.Store.SastUploads(bg, f.Tenant, f.Repository.ID, strings.Repeat("ab", 20))
	testkit.OK(t, err)
	testkit.Equal(t, "stored", len(rows), 0)
}

// A document has at most 25,000 results in 20 runs. The others are counted, so that a review can name them.
func TestResultsBeyondTheBoundAreCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	row, _, err := f.accept(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[` +
		strings.TrimSuffix(strings.Repeat(`{"ruleId":"R"},`, 55_000), ",") + `]}]}`)
	testkit.OK(t, err)
	if !strings.Contains(row.Analysers, `"results":55000`) {
		t.Error(row.Analysers)
	}
}
