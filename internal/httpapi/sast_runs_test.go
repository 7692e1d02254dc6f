package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// sarifOf returns a document of one tool with one result.
func sarifOf(tool string) string {
	return fmt.Sprintf(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":%q,"version":"1.2"}},"results":[{"ruleId":"R","message":{"text":"m"},`+
		`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":3}}}]}]}]}`, tool)
}

// upload sends a document with a token.
func (w *world) upload(token, path, head, body string, with ...func(*http.Request)) reply {
	w.t.Helper()
	return w.call(anonymous, http.MethodPost, path+"/sast-runs?headSha="+head, body,
		append([]func(*http.Request){bearing(token), header("Content-Type", "application/sarif+json")}, with...)...)
}

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func TestUploadsAreStoredAndSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.role(member, w.Repository, "review")
		token, head := w.scoped(member, "sast:upload"), w.Run.HeadSHA
		got := w.upload(token, w.repo(), head, packed(sarifOf("gosec")))
		testkit.Require(t, "status", got.status, http.StatusCreated)
		var made httpapi.SastRun
		testkit.OK(t, json.Unmarshal([]byte(got.body), &made))
		testkit.Equal(t, "run", fmt.Sprint(made.Source, made.State, made.HeadSHA == head, made.Analysers[0].Name, made.Analysers[0].Version, made.Analysers[0].Results),
			"uploadwaitingtruegosec1.21")
		testkit.Equal(t, "location", got.header.Get("Location"), w.repo()+"/sast-runs/"+made.ID)

		again := w.upload(token, w.repo(), head, sarifOf("gosec")) // the same document, not packed
		testkit.Equal(t, "again", again.status, http.StatusOK)
		if !strings.Contains(again.body, made.ID) {
			t.Error(again.body)
		}
		var list httpList[httpapi.SastRun]
		w.into(&list, w.call(member, http.MethodGet, w.repo()+"/sast-runs", ""))
		testkit.Equal(t, "runs", len(list.Items), 1)
		w.into(&list, w.call(member, http.MethodGet, w.repo()+"/sast-runs?runId="+w.Run.ID, ""))
		testkit.Equal(t, "runs of the review", len(list.Items), 0)

		document := w.call(member, http.MethodGet, w.repo()+"/sast-runs/"+made.ID+"/sarif", "")
		testkit.Equal(t, "document", document.body, sarifOf("gosec"))
		testkit.Equal(t, "media type", document.header.Get("Content-Type"), "application/sarif+json")
		if !strings.HasPrefix(document.header.Get("Content-Disposition"), "attachment") {
			t.Error("the document is not a download")
		}
		secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
		got = w.upload(token, w.repo(), head, strings.Replace(sarifOf("gitleaks"), `"text":"m"`, `"text":"the token `+secret+`"`, 1))
		testkit.OK(t, json.Unmarshal([]byte(got.body), &made))
		document = w.call(member, http.MethodGet, w.repo()+"/sast-runs/"+made.ID+"/sarif", "")
		if strings.Contains(document.body, secret) || !strings.Contains(document.body, "the token [redacted]") {
			t.Error(document.body)
		}

		entries := w.auditOf(admin, w.tenantPath(), "?action=sast-run.upload")
		testkit.Require(t, "entries", len(entries.Items), 2)
	})
}

// A token for uploads opens uploads alone, of the repositories of its tenant that its owner may review.
func TestWhoUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.showing(true)
	w.role(member, w.Repository, "review")
	head, body := w.Run.HeadSHA, sarifOf("x")
	token := w.scoped(member, "sast:upload")
	upload := func(token, path string) int { return w.upload(token, path, head, body).status }

	testkit.Equal(t, "no token", w.call(anonymous, http.MethodPost, w.repo()+"/sast-runs?headSha="+head, body).status, http.StatusUnauthorized)
	testkit.Equal(t, "a session", w.call(admin, http.MethodPost, w.repo()+"/sast-runs?headSha="+head, body).status, http.StatusUnauthorized)
	testkit.Equal(t, "another scope", upload(w.scoped(member, "reviews:read", "write"), w.repo()), http.StatusForbidden)
	testkit.Equal(t, "another tenant", upload(token, strings.Replace(w.repo(), w.Tenant.ID, w.Other.Tenant.ID, 1)), http.StatusNotFound)
	testkit.Equal(t, "another repository", upload(token, w.tenantPath()+"/repositories/"+w.Other.Repository.ID), http.StatusNotFound)
	hidden := w.secondRepository(true)
	testkit.Equal(t, "a hidden repository", upload(token, w.tenantPath()+"/repositories/"+hidden.ID), http.StatusNotFound)
	w.role(member, hidden, "view")
	testkit.Equal(t, "a read-only repository", upload(token, w.tenantPath()+"/repositories/"+hidden.ID), http.StatusForbidden)
	testkit.Equal(t, "the token at /mcp", w.post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).status, http.StatusForbidden)
	for _, path := range []string{"/api/me", w.tenantPath() + "/access", w.repo() + "/sast-runs", w.repo() + "/findings"} {
		testkit.Equal(t, "the token at "+path, w.call(anonymous, http.MethodGet, path, "", bearing(token)).status, http.StatusUnauthorized)
	}
	testkit.Equal(t, "from another page", w.upload(token, w.repo(), head, body, header("Origin", "https://evil.example")).status, http.StatusForbidden)
	testkit.Equal(t, "the owner of the right one", upload(token, w.repo()), http.StatusCreated)
	w.showing(false)
	testkit.Equal(t, "without /mcp", upload(token, w.repo()), http.StatusOK)
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.role(member, w.Repository, "review")
	token := w.scoped(member, "sast:upload")
	head := strings.Repeat("ab", 20)
	for name, tt := range map[string]struct {
		head, body string
		status     int
	}{
		"no commit":       {"", sarifOf("x"), http.StatusUnprocessableEntity},
		"a short commit":  {"abcdef0", sarifOf("x"), http.StatusUnprocessableEntity},
		"a branch":        {"main", sarifOf("x"), http.StatusUnprocessableEntity},
		"nothing":         {head, "", http.StatusBadRequest},
		"no SARIF":        {head, `{"hello":"world"}`, http.StatusUnprocessableEntity},
		"cut off":         {head, sarifOf("x")[:80], http.StatusUnprocessableEntity},
		"damaged gzip":    {head, packed(sarifOf("x"))[:60], http.StatusUnprocessableEntity},
		"packed twice":    {head, packed(packed(sarifOf("x"))), http.StatusUnprocessableEntity},
		"a bomb":          {head, packed(`{"version":"2.1.0","x":"` + strings.Repeat("a", 33<<20)), http.StatusRequestEntityTooLarge},
		"a deep document": {head, `{"x":` + strings.Repeat("[", 1000), http.StatusRequestEntityTooLarge},
	} {
		got := w.upload(token, w.repo(), tt.head, tt.body)
		if got.status != tt.status || len(tt.body) > 20 && len(tt.body) < 200 && strings.Contains(got.body, "hello") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for i := range store.MaxSastUploads {
		testkit.Equal(t, "upload", w.upload(token, w.repo(), head, sarifOf(fmt.Sprint("tool-", i))).status, http.StatusCreated)
	}
	testkit.Equal(t, "one more", w.upload(token, w.repo(), head, sarifOf("tool-more")).status, http.StatusConflict)
	testkit.Equal(t, "of another commit", w.upload(token, w.repo(), strings.Repeat("cd", 20), sarifOf("x")).status, http.StatusCreated)
}
