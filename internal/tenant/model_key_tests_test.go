package tenant_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
)

// try tests a model key.
func try(t testing.TB, w *featuretest.World, id, body string) (tenant.LlmChecks, error) {
	t.Helper()
	return w.Features.Tenant.TestCredential(bg, w.Tenant, id, featuretest.Request[tenant.ConnectionTestRequest](t, body))
}

// checksOf returns the names of checks in order, a failed one with a !, and the message of the first
// failed one.
func checksOf(out tenant.LlmChecks) (names, says string) {
	for _, c := range out.Checks {
		if c.OK {
			names += " " + c.Name
			continue
		}
		names += " !" + c.Name
		if says == "" {
			says = c.Message
		}
	}
	return strings.TrimSpace(names), says
}

// good are rules under which every check of text holds.
func good() []model.Rule {
	return []model.Rule{{Match: model.Match{UserContains: []string{"Call the tool"}}, Reply: model.Reply{ToolCalls: []model.ToolCall{{ID: "c1", Name: "report", Arguments: `{"verdict":"good"}`}}}},
		{Match: model.Match{UserContains: []string{"sum"}}, Reply: model.Reply{Text: `{"verdict":"good"}`}}, {Reply: model.Reply{Text: "ok"}}}
}

// Every kind lists its models, except azure. Every check of a test fails by its own name, for every
// kind.
func TestModelKeysOfEveryKind(t *testing.T) {
	t.Parallel()
	refused := func(f model.Fault) *model.Fault { f.Times = -1; return &f }
	for kind, more := range map[string]string{"openai": ``, "anthropic": ``, "mistral": ``, "azure": `,"resource":"acme"`, "bedrock": `,"region":"eu-west-1"`, "compatible": `,"baseUrl":"https://a.example.com/v1"`} {
		for name, tc := range map[string]struct {
			key    string
			rules  []model.Rule
			fault  *model.Fault
			checks string // checks up to the failed one, or all
		}{
			"good":              {simKey, good(), nil, "key model reasoningEffort structuredOutput tools"},
			"!key":              {"another-key", good(), nil, "!key"},
			"!model":            {simKey, good(), refused(model.Fault{Action: model.Status, Status: 404, Message: "no such model"}), "key !model"},
			"!reasoningEffort":  {simKey, good(), refused(model.Fault{Action: model.RejectEffort}), "key model !reasoningEffort structuredOutput tools"},
			"!structuredOutput": {simKey, append(good()[:1:1], model.Rule{Reply: model.Reply{Text: "ok"}}), nil, "key model reasoningEffort !structuredOutput tools"},
			"!tools":            {simKey, good()[1:], nil, "key model reasoningEffort structuredOutput !tools"},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				sim := simOf(t, model.Options{APIKey: simKey, Rules: tc.rules})
				w := featuretest.NewWorld(t, storetest.SQLite(t), featuretest.Simulated(t, sim))
				if tc.fault != nil {
					_, err := sim.SetFault(*tc.fault)
					testkit.OK(t, err)
				}
				id := w.Credential(`{"name":"a","kind":"` + kind + `","apiKey":"` + tc.key + `"` + more + `}`).ID
				out, err := try(t, w, id, `{"model":"sim-fast","purpose":"text","reasoningEffort":"high"}`)
				testkit.OK(t, err)
				names, _ := checksOf(out)
				testkit.Equal(t, "checks", names, tc.checks)
				list, err := w.Features.Tenant.Models(bg, w.Tenant, id)
				testkit.OK(t, err)
				if provider := tc.key == simKey && kind != "azure"; (list.Source == "provider") != provider || (list.Reason == "") != provider || kind != "compatible" && len(list.Items) == 0 {
					t.Errorf("listed %+v", list)
				}
			})
		}
	}
}

func TestModelKeysAreTested(t *testing.T) {
	t.Parallel()
	text := `{"model":"sim-fast","purpose":"text"}`
	effort := `{"model":"sim-fast","purpose":"text","reasoningEffort":"high"}`
	vectors := `{"model":"sim-fast","purpose":"embeddings","vectorSize":384}`
	for name, tc := range map[string]struct {
		key    string // JSON of the key besides its name; "" is a compatible one
		rules  []model.Rule
		fault  *model.Fault
		body   string
		checks string // names in order, a failed one with a !
		says   string // message of the first failed one
	}{
		"all good":               {"", good(), nil, text, "key model structuredOutput tools", ""},
		"with an effort":         {"", good(), nil, effort, "key model reasoningEffort structuredOutput tools", ""},
		"of the demo":            {"", script.Demo(), nil, effort, "key model reasoningEffort structuredOutput tools", ""},
		"of OpenAI":              {`"kind":"openai","apiKey":"` + simKey + `"`, good(), nil, effort, "key model reasoningEffort structuredOutput tools", ""},
		"of Anthropic":           {`"kind":"anthropic","apiKey":"` + simKey + `"`, good(), nil, text, "key model structuredOutput tools", ""},
		"of Bedrock":             {`"kind":"bedrock","region":"eu-west-1","apiKey":"` + simKey + `"`, good(), nil, text, "key model structuredOutput tools", ""},
		"of Mistral":             {`"kind":"mistral","apiKey":"` + simKey + `"`, good(), nil, text, "key model structuredOutput tools", ""},
		"of Azure":               {`"kind":"azure","resource":"acme","apiKey":"` + simKey + `"`, good(), nil, effort, "key model reasoningEffort structuredOutput tools", ""},
		"vectors of Mistral":     {`"kind":"mistral","apiKey":"` + simKey + `"`, nil, nil, vectors, "key model embeddings", ""},
		"vectors of Azure":       {`"kind":"azure","resource":"acme","apiKey":"` + simKey + `"`, nil, nil, vectors, "key model embeddings", ""},
		"vectors of Bedrock":     {`"kind":"bedrock","region":"eu-west-1","apiKey":"` + simKey + `"`, nil, nil, `{"model":"amazon.titan-embed-text-v2:0","purpose":"embeddings","vectorSize":1024}`, "key model embeddings", ""},
		"no such deployment":     {`"kind":"azure","resource":"acme","apiKey":"` + simKey + `"`, nil, &model.Fault{Action: model.Status, Status: 404, Message: "no such deployment", Times: -1}, text, "key !model", "no such deployment"},
		"wrong key":              {`"kind":"openai","apiKey":"wrong-key"`, nil, nil, text, "!key", "(status 401)"},
		"no credit":              {"", nil, &model.Fault{Action: model.Quota, Times: -1}, text, "!key", "(status 429)"},
		"down":                   {"", nil, &model.Fault{Action: model.Status, Status: 503, Times: -1, Message: "gone fishing"}, text, "!key", "gone fishing (status 503)"},
		"no such model":          {"", nil, &model.Fault{Action: model.Status, Status: 404, Message: "no model sim-fast", Times: -1}, text, "key !model", "no model sim-fast"},
		"no such place":          {"", nil, &model.Fault{On: model.OnAny, Action: model.Status, Status: 404, Message: "not here", Times: -1}, text, "!key", "not here"},
		"effort refused":         {"", good(), &model.Fault{Action: model.RejectEffort, Times: -1}, effort, "key model !reasoningEffort structuredOutput tools", "Unsupported value"},
		"effort known to be bad": {`"kind":"anthropic","apiKey":"` + simKey + `"`, good(), nil, `{"model":"claude-sonnet-5","purpose":"text","reasoningEffort":"minimal"}`, "key model !reasoningEffort structuredOutput tools", "The effort must be"},
		"no structured output":   {"", good(), &model.Fault{Action: model.RejectFormat, Times: -1}, text, "key model !structuredOutput tools", "refuses structured output"},
		"not its schema":         {"", append(good()[:1:1], model.Rule{Reply: model.Reply{Text: "ok"}}), nil, text, "key model !structuredOutput tools", "schema"},
		"no tool called":         {"", good()[1:], nil, text, "key model structuredOutput !tools", "did not call"},
		"cut off":                {"", append(good()[:1:1], model.Rule{Match: good()[1].Match, Reply: model.Reply{Text: `{"verdict":"good"}`, FinishReason: "length"}}, good()[2]), nil, text, "key model !structuredOutput tools", "1024"},
		"vectors":                {"", nil, nil, vectors, "key model embeddings", ""},
		"vectors of OpenAI":      {`"kind":"openai","apiKey":"` + simKey + `"`, nil, nil, vectors, "key model embeddings", ""},
		"vectors too long":       {"", nil, &model.Fault{On: model.OnEmbeddings, Action: model.WrongSize, Times: -1}, vectors, "key !embeddings", "385"},
		"vectors of Anthropic":   {`"kind":"anthropic","apiKey":"` + simKey + `"`, nil, nil, vectors, "!embeddings", "no interface for embeddings"},
		"no vectors with model":  {"", nil, &model.Fault{On: model.OnEmbeddings, Action: model.Status, Status: 400, Message: "not an embedding model", Times: -1}, vectors, "key !model", "not an embedding model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := simOf(t, model.Options{APIKey: simKey, Rules: tc.rules})
			w := featuretest.NewWorld(t, storetest.SQLite(t), featuretest.Simulated(t, sim))
			if tc.fault != nil {
				_, err := sim.SetFault(*tc.fault)
				testkit.OK(t, err)
			}
			if tc.key == "" {
				tc.key = `"kind":"compatible","baseUrl":"https://a.example.com/v1","apiKey":"` + simKey + `"`
			}
			id := w.Credential(`{"name":"a",` + tc.key + `}`).ID
			out, err := try(t, w, id, tc.body)
			testkit.OK(t, err)
			names, says := checksOf(out)
			testkit.Equal(t, "checks", names, tc.checks)
			if !strings.Contains(says, tc.says) || strings.Contains(fmt.Sprint(out), simKey) {
				t.Errorf("says %q, want %q: %+v", says, tc.says, out)
			}
			result := "ok"
			if strings.Contains(tc.checks, "!") {
				result = "failed"
			}
			entries, err := w.Features.Audit.Entries(bg, w.Tenant, store.AuditFilter{Action: "llm-credential.test", Limit: 10})
			testkit.OK(t, err)
			testkit.Equal(t, "tests in the log", len(entries), 1)
			testkit.Equal(t, "result in the log", string(entries[0].Result), result)
		})
	}
}

func TestModelKeyTestsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	id := w.Credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
	for name, tc := range map[string]struct{ body, field string }{
		"no size":           {`{"model":"m","purpose":"embeddings"}`, "/vectorSize"},
		"a size of nothing": {`{"model":"m","purpose":"text","vectorSize":384}`, "/vectorSize"},
		"effort of vectors": {`{"model":"m","purpose":"embeddings","vectorSize":384,"reasoningEffort":"low"}`, "/reasoningEffort"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(t, w, id, tc.body)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
		})
	}
	if _, err := try(t, w, "crd_absent", `{"model":"m","purpose":"text"}`); !errs.Is(err, errs.NotFound) {
		t.Errorf("an absent key: %v", err)
	}
}
