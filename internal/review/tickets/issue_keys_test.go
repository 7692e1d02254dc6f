package tickets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

var (
	jira   = issuePlace{Connection: "j", Kind: domain.Jira, BaseURL: "https://acme.atlassian.net", Projects: []string{"PAY", "A_B2"}}
	dc     = issuePlace{Connection: "d", Kind: domain.Jira, BaseURL: "https://issues.acme.example/jira", Projects: []string{"OPS", "PAY"}}
	linear = issuePlace{Connection: "l", Kind: domain.Linear, BaseURL: "https://linear.app", Projects: []string{"ENG"}}
	azure  = issuePlace{Connection: "a", Kind: domain.AzureBoards, BaseURL: "https://dev.azure.com/acme", Projects: []string{"Shop"}}
	all    = []issuePlace{jira, dc, linear, azure}
)

func said(found []foundIssue) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Connection+":"+f.Key+"/"+f.In)
	}
	return strings.Join(out, " ")
}

// tens are more keys than a pull request has issues. said10 are the keys that remain beside a more
// certain one.
const (
	tens   = "OPS-1 OPS-2 OPS-3 OPS-4 OPS-5 OPS-6 OPS-7 OPS-8 OPS-9 OPS-10 OPS-11 OPS-12 "
	said10 = "d:OPS-1/body d:OPS-2/body d:OPS-3/body d:OPS-4/body d:OPS-5/body d:OPS-6/body d:OPS-7/body d:OPS-8/body d:OPS-9/body"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		said pullTexts
		want string
	}{
		"nothing":                         {pullTexts{}, ""},
		"an issue that the host links":    {pullTexts{Linked: []string{"pay-8", "#4", "PAY-9: x", "UTF-8", "4711", ""}, Title: "PAY-8"}, "j:PAY-8/host"},
		"a branch in small letters":       {pullTexts{Branch: "mona/eng-4-add-the-sum"}, "l:ENG-4/branch"},
		"a branch with a prefix":          {pullTexts{Branch: "feature-PAY-12_sum"}, "j:PAY-12/branch"},
		"a branch with underscores":       {pullTexts{Branch: "fix_PAY-12"}, "j:PAY-12/branch"},
		"a project with an underscore":    {pullTexts{Branch: "feature/A_B2-9"}, "j:A_B2-9/branch"},
		"a title":                         {pullTexts{Title: "PAY-7: add the sum (ENG-2)"}, "j:PAY-7/title l:ENG-2/title"},
		"a title in small letters":        {pullTexts{Title: "pay-7: add"}, ""},
		"the surest way counts":           {pullTexts{Branch: "PAY-7", Title: "PAY-7", Body: "Closes PAY-7 and OPS-1."}, "j:PAY-7/branch d:OPS-1/body"},
		"texts that only look like keys":  {pullTexts{Title: "UTF-8, SHA-256, ISO-8601, X-1, CVE-2024-1 and PAY-0", Body: "PAY-007 PAY-1st PAY-1.2 PAY-1-2 XPAY-1 X-PAY-1 _PAY-1 PAY- PAY-1234567890 éPAY-1 PAY-1é"}, ""},
		"at the end of a sentence":        {pullTexts{Body: "See PAY-3. And (PAY-4), [PAY-5], PAY-6, *PAY-8* PAY-9-"}, "j:PAY-3/body j:PAY-4/body j:PAY-5/body j:PAY-6/body j:PAY-8/body j:PAY-9/body"},
		"commits":                         {pullTexts{Commits: []string{"PAY-2 add", "ENG-3\n\nPAY-2"}}, "j:PAY-2/commit l:ENG-3/commit"},
		"the comment of a template":       {pullTexts{Body: "<!-- such as PAY-1 -->ENG-1<!-- PAY-2"}, "l:ENG-1/body"},
		"a link":                          {pullTexts{Body: "https://acme.atlassian.net/browse/PAY-3?x=1."}, "j:PAY-3/body"},
		"a board":                         {pullTexts{Body: "<https://acme.atlassian.net/jira/software/projects/PAY/boards/1?selectedIssue=PAY-4>"}, "j:PAY-4/body"},
		"a link says which":               {pullTexts{Body: "[PAY-3](https://issues.acme.example/jira/browse/PAY-3)"}, "d:PAY-3/body"},
		"an address decides elsewhere":    {pullTexts{Title: "PAY-3", Body: "https://issues.acme.example/jira/browse/PAY-3", Branch: "pay-3-and-pay-4"}, "d:PAY-3/branch j:PAY-4/branch"},
		"an address behind many keys":     {pullTexts{Title: "PAY-99", Body: tens + "https://issues.acme.example/jira/browse/PAY-99"}, "d:PAY-99/title " + said10},
		"a link of Linear":                {pullTexts{Body: "(https://linear.app/acme/issue/ENG-9/the-title)"}, "l:ENG-9/body"},
		"a link elsewhere":                {pullTexts{Body: "https://other.atlassian.net/browse/PAY-3 https://acme.atlassian.net.evil.example/browse/PAY-3 https://x.example/PAY-4"}, ""},
		"a link to another folder":        {pullTexts{Body: "https://issues.acme.example/browse/OPS-3 https://issues.acme.example/jira2/browse/OPS-3 https://issues.acme.example/jira/../browse/OPS-3"}, ""},
		"a link to an unknown project":    {pullTexts{Body: "https://acme.atlassian.net/browse/SECRET-3"}, ""},
		"work items":                      {pullTexts{Title: "AB#12", Body: "Fixes AB#13, #14, XAB#15, AB#016 and AB#17x"}, "a:12/title a:13/body"},
		"a link to a work item":           {pullTexts{Body: "https://dev.azure.com/acme/Shop/_workitems/edit/77 https://dev.azure.com/acme/Other/_workitems/edit/78 https://dev.azure.com/other/Shop/_workitems/edit/79"}, "a:77/body"},
		"an invalid address":              {pullTexts{Body: "https://acme.atlassian.net/%zz/browse/PAY-3"}, ""},
		"a project that is part of one":   {pullTexts{Title: "PAYMENT-3 AY-3 PA-3"}, ""},
		"a mail address and a dependency": {pullTexts{Body: "x@PAY-3.example lib/PAY-4 v=PAY-5 PAY-6@1"}, ""},
	} {
		if got := said(findKeys(tc.said, all)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestKeysWithoutPlaces(t *testing.T) {
	t.Parallel()
	if got := findKeys(pullTexts{Branch: "PAY-1", Title: "AB#3", Body: "https://acme.atlassian.net/browse/PAY-1"}, nil); len(got) != 0 {
		t.Error(got)
	}
}

// Many keys, long texts and many commits stay within their bounds.
func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&many, "PAY-%d ", i+1)
	}
	got := findKeys(pullTexts{Title: strings.Repeat("x ", maxTitle) + "PAY-3", Body: many.String()}, all)
	if len(got) != domain.MaxTickets || got[0].Key != "PAY-1" {
		t.Errorf("%s", said(got))
	}
	commits := make([]string, maxCommits+1)
	commits[maxCommits] = "PAY-1"
	if got := findKeys(pullTexts{Commits: commits}, all); len(got) != 0 {
		t.Errorf("beyond the number of commits: %s", said(got))
	}
	if got := findKeys(pullTexts{Branch: strings.Repeat("x/", maxBranch) + "PAY-1", Title: strings.Repeat("x ", maxTitle) + "PAY-1", Body: strings.Repeat("x ", maxBody) + "PAY-1",
		Commits: []string{strings.Repeat("x ", maxCommit) + "PAY-1"}}, all); len(got) != 0 {
		t.Errorf("beyond the bounds: %s", said(got))
	}
	big := make([]string, 50)
	for i := range big {
		big[i] = strings.Repeat("x ", maxCommit)
	}
	if got := findKeys(pullTexts{Commits: append(big, "PAY-1")}, all); len(got) != 0 {
		t.Errorf("beyond all commits together: %s", said(got))
	}
	linked := make([]string, 60)
	linked[59] = "PAY-1"
	if got := findKeys(pullTexts{Linked: linked}, all); len(got) != 0 {
		t.Errorf("beyond what a host links: %s", said(got))
	}
	_ = findKeys(pullTexts{Body: strings.Repeat("<!--", maxBody), Title: strings.Repeat("A", maxTitle)}, all)
}

func TestSurest(t *testing.T) {
	t.Parallel()
	f := func(key, in string) foundIssue {
		return foundIssue{Connection: "j", Kind: domain.Jira, Key: key, In: in}
	}
	got := mergeFound(f("PAY-1", inCommit), f("PAY-2", inBranch), f("PAY-1", inTracker), f("PAY-3", inPerson), f("PAY-4", "?"))
	if s := said(got); s != "j:PAY-3/person j:PAY-1/tracker j:PAY-2/branch" {
		t.Error(s)
	}
	at := foundIssue{Connection: "d", Kind: domain.Jira, Key: "PAY-1", In: inCommit, Addressed: true}
	for in, want := range map[string]string{inTitle: "d:PAY-1/title", inTracker: "j:PAY-1/tracker", inPerson: "j:PAY-1/person"} {
		if s := said(mergeFound(f("PAY-1", in), at)); s != want {
			t.Errorf("an address beside %s: %s", in, s)
		}
	}
	var many []foundIssue
	for i := range 30 {
		many = append(many, f(fmt.Sprint("PAY-", i+1), inCommit))
	}
	if got := mergeFound(append(many, f("PAY-99", inPerson))...); len(got) != domain.MaxTickets || got[0].Key != "PAY-99" {
		t.Error(said(got))
	}
}

func TestEnteredIssueKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		entered string
		place   issuePlace
		want    string
	}{
		{" pay-3 ", jira, "PAY-3"}, {"UTF-8", jira, ""}, {"PAY-3; x", jira, ""}, {"https://acme.atlassian.net/browse/PAY-3", jira, "PAY-3"}, {"https://evil.example/browse/PAY-3", jira, ""},
		{"AB#12", azure, "12"}, {"12", azure, "12"}, {"012", azure, ""}, {"-12", azure, ""}, {"https://dev.azure.com/acme/Shop/_workitems/edit/7", azure, "7"}, {"ENG-4", linear, "ENG-4"}, {"", linear, ""},
	} {
		if got := normalizeKey(tc.entered, tc.place); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.entered, got, tc.want)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("mona/eng-4", "PAY-7: AB#3", "https://acme.atlassian.net/browse/PAY-3 <!-- PAY-1 -->")
	f.Fuzz(func(t *testing.T, branch, title, body string) {
		for _, g := range findKeys(pullTexts{Branch: branch, Title: title, Body: body, Commits: []string{body}}, all) {
			if !matchesWhole(key, g.Key) && g.Kind != domain.AzureBoards || len(g.Key) > 64 {
				t.Errorf("%+v", g)
			}
		}
	})
}
