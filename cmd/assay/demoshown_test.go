package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/review/assistant"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	sample "github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/tools"
)

// read fetches a page.
func read(t *testing.T, browser *http.Client, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	testkit.OK(t, err)
	res, err := browser.Do(req)
	testkit.OK(t, err)
	raw, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it was read
	testkit.OK(t, err)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", address, res.StatusCode, raw)
	}
	return string(raw)
}

// listed is a list of the interface.
type listed[T any] struct {
	Items []T `json:"items"`
}

func readAs[T any](t *testing.T, browser *http.Client, address string) (out T) {
	t.Helper()
	testkit.OK(t, json.Unmarshal([]byte(read(t, browser, address)), &out))
	return out
}

var decideAt = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/t/(\w+)/repositories/(\w+)/runs/(run_\w+)\?tab=approval$`)

// shows checks the contents of the console's pages: the ticket with its criteria, the call of the tool
// server and its result, and a budget that is far from used up.
func (d demoOf) shows(browser *http.Client) {
	d.Helper()
	m := decideAt.FindStringSubmatch(d.process.WaitLine(startup, "decide at "))
	if m == nil {
		d.Fatal("nothing says where to decide")
	}
	api, held, run := m[1]+"/api/tenants/"+m[2], m[3], m[4]
	all := readAs[listed[struct{ ID, Name string }]](d.T, browser, api+"/repositories").Items
	at := slices.IndexFunc(all, func(r struct{ ID, Name string }) bool { return r.ID != held })
	if at < 0 {
		d.Fatalf("the repositories are %+v", all)
	}
	repository := api + "/repositories/" + all[at].ID

	ticket := sample.PagesTicket()
	links := readAs[listed[tickets.TrackerLink]](d.T, browser, repository+"/tracker-links").Items
	if len(links) != 1 || links[0].IssueKey != ticket.Key || links[0].FoundIn != "branch" || links[0].KeyOnly || links[0].Title != ticket.Title || links[0].Unread != "" || links[0].Number != ticket.Pull {
		d.Fatalf("the issues are %+v", links)
	}
	checks := readAs[listed[httpapi.AcceptanceCheck]](d.T, browser, repository+"/ac-checks").Items
	if len(checks) != len(ticket.Criteria) {
		d.Errorf("the criteria are %+v", checks)
	}
	for _, c := range checks {
		i := slices.IndexFunc(ticket.Criteria, func(want sample.Criterion) bool { return want.Text == c.Criterion })
		if i < 0 || (c.Verdict == "met") != ticket.Criteria[i].Met || c.Verdict == "unclear" || c.Reason != ticket.Criteria[i].Reason || len(c.Evidence) == 0 {
			d.Errorf("the criterion %+v", c)
		}
	}
	testkit.Eventually(d.T, 2*time.Minute, func() (bool, string) { // a job after the review writes the link
		page := html.UnescapeString(read(d.T, http.DefaultClient, links[0].URL))
		for _, want := range append([]string{ticket.Title, ticket.Heading, sample.Repository + "/pull/1"}, criteria(ticket)...) {
			if !strings.Contains(page, want) {
				return false, fmt.Sprintf("the ticket's page has no %q:\n%s", want, page)
			}
		}
		return true, ""
	})

	servers := readAs[listed[tenant.McpServer]](d.T, browser, api+"/mcp-servers").Items
	if len(servers) != 1 || servers[0].State != "active" || len(servers[0].Tools) != 2 || !slices.Equal(servers[0].AllowedTools, []string{tools.FindService}) {
		d.Fatalf("the tool servers are %+v", servers)
	}
	calls := readAs[listed[tenant.McpCall]](d.T, browser, api+"/mcp-servers/"+servers[0].ID+"/calls").Items
	if len(calls) != 1 || calls[0].Outcome != "ok" || calls[0].Tool != tools.FindService || calls[0].RunID != run || calls[0].ResponseBytes == 0 {
		d.Errorf("the calls of the tool server are %+v", calls)
	}
	looked := readAs[listed[httpapi.ToolCall]](d.T, browser, api+"/repositories/"+held+"/review-runs/"+run+"/tool-calls").Items
	if !slices.ContainsFunc(looked, func(c httpapi.ToolCall) bool {
		return c.Stage == "generate" && strings.HasSuffix(c.Tool, "__"+tools.FindService) && c.Outcome == "ok" && c.Arguments == sample.Held().PlantedBugs[0].Question.Arguments
	}) {
		d.Errorf("the coverage of the run: %+v", looked)
	}
	if said := read(d.T, browser, api+"/repositories/"+held+"/review-runs/"+run); !strings.Contains(said, sample.Held().PlantedBugs[0].Question.Adds) {
		d.Errorf("the review does not use what the tool server says: %s", said)
	}

	for _, line := range []string{"#1 job explained: ci / lint;", "#3 job explained: ci / web, flaky;", "#2 fix: it passed the checks;", "#2 fix: the checks refused it;"} {
		d.process.WaitLine(2*time.Minute, line)
	}
	fixes := readAs[listed[httpapi.FixRun]](d.T, browser, repository+"/fix-runs").Items
	if len(fixes) != 2 || fixes[1].Passed != 1 || fixes[1].URL == "" || fixes[0].Passed != 0 || fixes[0].Reason == "" || fixes[0].AskedBy != sample.Admin {
		d.Errorf("the fix runs are %+v", fixes)
	}
	jobs := readAs[listed[httpapi.CIAnalysis]](d.T, browser, repository+"/ci-analyses").Items
	for _, j := range jobs {
		want := sample.FailedJobs()[(j.Number-1)/2]
		if j.Cause != want.Cause || j.Relation != want.Relation || j.Flaky != want.Repeated || len(j.Evidence) != len(want.Quotes) {
			d.Errorf("the analysis %+v", j)
		}
	}
	testkit.Equal(d.T, "analyses", len(jobs), 2)

	costs := readAs[analytics.Costs](d.T, browser, api+"/analytics/costs")
	if b := costs.Budget; b == nil || b.SpentMicros == 0 || b.SpentMicros > b.MonthlyMicros/4 {
		d.Errorf("the costs are %+v, of the budget %+v", costs.Total, costs.Budget)
	}
}

func criteria(t sample.Ticket) (out []string) {
	for _, c := range t.Criteria {
		out = append(out, c.Text)
	}
	return out
}

// judged checks the table of criteria on the page of the first pull request at the host.
func judged(t *testing.T, address string) {
	t.Helper()
	ticket := sample.PagesTicket()
	page := html.UnescapeString(read(t, http.DefaultClient, address))
	for _, c := range ticket.Criteria {
		for _, want := range []string{c.Text, c.Reason} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of the pull request has no %q", want)
			}
		}
	}
	for _, want := range []string{"3 of 4 met", "not met", "/browse/" + ticket.Key} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the pull request has no %q:\n%s", want, page)
		}
	}
}

// assists clones the sample from its address at the simulated host like a person, and lets an assistant review two of
// its branches with "assay mcp". The findings equal those of the demo's reviews.
func assists(t *testing.T, repository, token string) {
	t.Helper()
	dir := t.TempDir()
	from, err := url.Parse(repository)
	testkit.OK(t, err)
	from.User = url.UserPassword("x-token-auth", token) // which Bitbucket Cloud asks for; the others take any name
	testkit.Git(t, dir, "clone", "-q", from.String(), "storefront")
	dir = filepath.Join(dir, "storefront")
	model := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Name: "model", Args: []string{"sim", "model", "--script", "demo"}})
	var ready struct{ Ready string }
	testkit.OK(t, json.Unmarshal([]byte(model.WaitLine(startup, `"ready"`)), &ready))
	for _, with := range [][]string{nil, {"--model-url", ready.Ready, "--model", "sim-strong"}} {
		for _, p := range sample.PullRequests() {
			testkit.Git(t, dir, "checkout", "-q", p.Branch)
			want := map[string]bool{}
			for _, s := range p.PlantedSecrets {
				want[s.Path+":"+itoa(s.Line)] = true
			}
			for _, b := range p.PlantedBugs {
				if with != nil {
					want[b.Path+":"+itoa(b.Line)+" "+b.Title] = true
				}
			}
			found := reviewed(t, dir, with...)
			for _, f := range found {
				place := f.Path + ":" + itoa(f.EndLine)
				if !want[place] && !want[place+" "+f.Title] {
					t.Errorf("%s: found %+v", p.Branch, f)
				}
			}
			if len(found) != len(want) {
				t.Errorf("%s, %v: found %+v, want %v", p.Branch, with, found, want)
			}
		}
	}
}

// reviewed lists the tools like an assistant, reviews a checkout, and returns the findings.
func reviewed(t *testing.T, dir string, args ...string) []assistant.Finding {
	t.Helper()
	c := exec.CommandContext(t.Context(), testkit.Binary(t), append([]string{"mcp"}, args...)...)
	c.Dir = dir
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	testkit.OK(t, err)
	defer func() { testkit.OK(t, s.Close()) }()
	list, err := s.ListTools(t.Context(), nil)
	testkit.OK(t, err)
	if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "review_diff" && tool.OutputSchema != nil }) {
		t.Fatalf("the tools are %+v", list.Tools)
	}
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "review_diff", Arguments: map[string]any{}})
	testkit.OK(t, err)
	raw, err := json.Marshal(got.StructuredContent)
	testkit.OK(t, err)
	if got.IsError {
		t.Fatalf("%+v", got.Content)
	}
	var out assistant.Review
	testkit.OK(t, json.Unmarshal(raw, &out))
	return out.Findings
}

// tokenOf returns the token of the machine account that the demo of a host has created.
func tokenOf(t *testing.T, dir, kind string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "assay-data", "demo-"+kind, "token"))
	testkit.OK(t, err)
	return strings.TrimSpace(string(raw))
}
