package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/testkit/sariftest"
)

// analysed is an answer to an upload.
type analysed struct{ ID, State, Note string }

// upload sends the document of an analyser for a commit, as a pipeline does, and returns the answer.
func (w *world) upload(token, repo, head, tool, message string) (status int, out analysed) {
	w.Helper()
	document := fmt.Sprintf(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"%[1]s"}},"results":[{"ruleId":"R-%[1]s","level":"error","message":{"text":%[2]q},`+
		`"locations":[{"physicalLocation":{"artifactLocation":{"uri":"price/list.go"},"region":{"startLine":4,"snippet":{"text":"a bare value"}}}}]}]}]}`, tool, message)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(document))
	must(w.T, err)
	must(w.T, z.Close())
	r, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url(repo+"/sast-runs?headSha="+head), &packed)
	must(w.T, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/sarif+json")
	res, err := http.DefaultClient.Do(r)
	must(w.T, err)
	body, err := io.ReadAll(res.Body)
	must(w.T, err)
	must(w.T, res.Body.Close())
	_ = json.Unmarshal(body, &out)
	return res.StatusCode, out
}

// A pipeline uploads results with a token; the waiting review comments on them; a late upload waits for the next review. A revoked
// token opens nothing.
func TestUploadsBecomeComments(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.worked()
		boss, path := w.approvals()
		repo := strings.TrimSuffix(path, "/approvals")
		boss.send("PUT", repo+"/policy", map[string]any{"uploadWaitMinutes": 5, "publishMode": "auto"})
		var token struct{ ID, Secret string }
		at := "/api/tenants/" + boss.tenant() + "/mcp-tokens"
		boss.as.Send("POST", at, map[string]any{"name": "pipeline", "scopes": []string{"sast:upload"},
			"expiresAt": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, http.StatusCreated, &token)

		pr := w.open("list", map[string]string{"price/list.go": "package price\n\n// List is a list.\ntype List []int\n"})
		secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
		status, first := w.upload(token.Secret, repo, pr.HeadSHA, "gosec", "The list has the token "+secret+" in its name")
		testkit.Equal(t, "upload", fmt.Sprint(status, first.State), "201waiting")
		text := ""
		for _, c := range w.reviewed(pr.Number, 1)[0].Comments {
			text += c.Body
		}
		if !strings.Contains(text, "The list has the token") || strings.Contains(text, secret) {
			t.Errorf("the comments are: %s", text)
		}
		testkit.Eventually(t, patience, func() (bool, string) {
			states := fmt.Sprint(w.query(`SELECT source, state FROM sast_runs ORDER BY source`))
			return states == "[[review completed] [upload completed]]", states
		})
		_, raw := boss.as.Try("GET", repo+"/sast-runs/"+first.ID+"/sarif", "", "")
		document := string(raw)
		if strings.Contains(document, secret) || strings.Contains(document, "bare value") || !strings.Contains(document, "The list has the token") {
			t.Errorf("the stored document is: %s", document)
		}
		sariftest.Valid(t, "the stored document", raw)
		own := w.query(`SELECT id FROM sast_runs WHERE source = 'review'`)[0][0]
		_, raw = boss.as.Try("GET", repo+"/sast-runs/"+own+"/sarif", "", "")
		document = string(raw)
		sariftest.Valid(t, "the document of the review", raw)
		if !strings.Contains(document, `"version": "2"`) || !strings.Contains(document, "sast/gosec/R-gosec") || strings.Contains(document, secret) {
			t.Errorf("the document of the review is: %s", document)
		}

		status, late := w.upload(token.Secret, repo, pr.HeadSHA, "late", "The list is never used")
		testkit.Equal(t, "late upload", fmt.Sprint(status, late.State), "201waiting")
		if !strings.Contains(late.Note, "without this document") {
			t.Error(late.Note)
		}
		boss.as.Do("POST", repo+"/review-runs/"+w.query(`SELECT id FROM review_runs`)[0][0]+"/rerun", "", "", http.StatusAccepted, nil)
		testkit.Eventually(t, patience, func() (bool, string) {
			states := fmt.Sprint(w.query(`SELECT state, new_findings FROM sast_runs WHERE id = '` + late.ID + `'`))
			return states == "[[completed 1]]", states
		})
		boss.as.Do("DELETE", at+"/"+token.ID, "", "", http.StatusNoContent, nil)
		status, _ = w.upload(token.Secret, repo, pr.HeadSHA, "revoked", "x")
		testkit.Equal(t, "a revoked token", status, http.StatusUnauthorized)
		w.verify()
	})
}
