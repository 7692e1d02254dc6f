package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/cache/rediscache"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
)

// simulated is a world in which every model key reaches one simulated model.
func simulated(t *testing.T, s *store.Store, sim *model.Server) *world {
	t.Helper()
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(sim.Close)
	at, err := url.Parse(server.URL)
	must(t, err)
	port, err := strconv.Atoi(at.Port())
	must(t, err)
	kept, err := memcache.New(memcache.Options{})
	must(t, err)
	return newWorld(t, s, func(o *httpapi.Options) {
		o.Features.Tenant.Cache = kept
		o.Features.Tenant.Opener = &connect.Models{Store: s, Keyring: o.Features.Tenant.Keyring, Factory: outbound.New(outbound.Policy{LoopbackPorts: []int{port}}), Attempt: time.Minute,
			MaxResponse: 1 << 20, Logger: telemetry.Discard(), Endpoint: func(k catalog.Key) string {
				switch k.Kind {
				case catalog.Anthropic, catalog.Bedrock:
					return server.URL
				case catalog.Mistral:
					return server.URL + "/mistral/v1"
				}
				return server.URL + "/v1"
			}}
	})
}

func simOf(t *testing.T, o model.Options) *model.Server {
	t.Helper()
	sim, err := model.New(o)
	must(t, err)
	return sim
}

const simKey = "the-key-of-the-test"

// listings counts the lists that the provider was asked for.
func listings(sim *model.Server) (n int) {
	for _, r := range sim.Requests(false) {
		if r.Method == http.MethodGet {
			n++
		}
	}
	return n
}

func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		sim := simOf(t, model.Options{APIKey: simKey, Models: []string{"alpha", "beta"}})
		w := simulated(t, s, sim)
		list := func(id string) (m tenant.LlmModels) {
			t.Helper()
			w.into(&m, w.call(admin, http.MethodGet, w.tenantPath()+"/llm-credentials/"+id+"/models", ""))
			return m
		}
		id := w.credential(`{"name":"a","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
		for range 2 {
			if m := list(id); m.Source != "provider" || len(m.Items) != 2 || m.Items[0].ID != "alpha" || m.Items[1].DisplayName != "beta" || m.Reason != "" {
				t.Errorf("listed: %+v", m)
			}
		}
		testkit.Equal(t, "lists that the provider was asked for", listings(sim), 1)
		other := w.credential(`{"name":"b","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
		list(other)
		testkit.Equal(t, "another key has a list of its own", listings(sim), 2)
		testkit.Equal(t, "changed", w.call(admin, http.MethodPatch, w.tenantPath()+"/llm-credentials/"+id, `{"apiKey":"wrong-key-of-the-test"}`).status, http.StatusOK)
		for range 2 { // what failed is not kept
			m := list(id)
			if m.Source != "suggestions" || len(m.Items) != 0 || !strings.Contains(m.Reason, "does not accept the key") {
				t.Errorf("after a change to a wrong key: %+v", m)
			}
		}
		testkit.Equal(t, "asked again after the change, and after a failure", listings(sim), 4)
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, w.tenantPath()+"/llm-credentials/"+other, "").status, http.StatusNoContent)
		testkit.Equal(t, "a deleted key", w.call(admin, http.MethodGet, w.tenantPath()+"/llm-credentials/"+other+"/models", "").status, http.StatusNotFound)

		azure := list(w.credential(`{"name":"z","kind":"azure","apiKey":"k","resource":"aa"}`).ID)
		if azure.Source != "suggestions" || len(azure.Items) == 0 || len(azure.Items) > 20 || !strings.Contains(azure.Reason, "deployment") {
			t.Errorf("azure: %+v", azure)
		}
		testkit.Equal(t, "azure is not asked", listings(sim), 4)
		testkit.Equal(t, "a member", w.call(member, http.MethodGet, w.tenantPath()+"/llm-credentials/"+id+"/models", "").status, http.StatusForbidden)
	})
}

// Each failure of a list gives suggestions and a reason in our own words.
func TestModelsThatCannotBeListed(t *testing.T) {
	t.Parallel()
	marker := "words of the provider"
	for name, tc := range map[string]struct {
		fault  model.Fault
		reason string
	}{
		"forbidden":  {model.Fault{Action: model.Unauthorized, Message: marker}, "does not accept the key"},
		"no list":    {model.Fault{Action: model.Status, Status: 404, Message: marker}, "(status 404)"},
		"down":       {model.Fault{Action: model.Status, Status: 503, Message: marker}, "failed (status 503)"},
		"limited":    {model.Fault{Action: model.RateLimit, Message: marker}, "asks to wait"},
		"no credit":  {model.Fault{Action: model.Quota, Message: marker}, "used up"},
		"redirected": {model.Fault{Action: model.Redirect, Location: "https://elsewhere.example.com/"}, "redirect"},
		"too large":  {model.Fault{Action: model.TooLarge}, "too large"},
		"a page":     {model.Fault{Action: model.NotAnAnswer}, "not a list"},
		"reset":      {model.Fault{Action: model.Refuse}, "could not be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := simOf(t, model.Options{})
			w := simulated(t, storetest.SQLite(t), sim)
			tc.fault.On, tc.fault.Times = model.OnAny, -1
			_, err := sim.SetFault(tc.fault)
			must(t, err)
			id := w.credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
			var m tenant.LlmModels
			got := w.call(admin, http.MethodGet, w.tenantPath()+"/llm-credentials/"+id+"/models", "")
			w.into(&m, got)
			if m.Source != "suggestions" || len(m.Items) == 0 || len(m.Items) > 20 || !strings.Contains(m.Reason, tc.reason) || strings.Contains(got.body, marker) {
				t.Errorf("got %s", got.body)
			}
		})
	}
}

// Every kind lists what its provider says; azure alone never does. Every check of
// a test fails by its own name, for every kind.
func TestModelKeysOfEveryKind(t *testing.T) {
	t.Parallel()
	refused := func(f model.Fault) *model.Fault { f.Times = -1; return &f }
	for kind, more := range map[string]string{"openai": ``, "anthropic": ``, "mistral": ``, "azure": `,"resource":"acme"`, "bedrock": `,"region":"eu-west-1"`, "compatible": `,"baseUrl":"https://a.example.com/v1"`} {
		for name, tc := range map[string]struct {
			key    string
			rules  []model.Rule
			fault  *model.Fault
			checks string // with one that failed last, or all
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
				w := simulated(t, storetest.SQLite(t), sim)
				if tc.fault != nil {
					_, err := sim.SetFault(*tc.fault)
					must(t, err)
				}
				one := w.tenantPath() + "/llm-credentials/" + w.credential(`{"name":"a","kind":"`+kind+`","apiKey":"`+tc.key+`"`+more+`}`).ID
				var out tenant.LlmChecks
				got := w.call(admin, http.MethodPost, one+"/test", `{"model":"sim-fast","purpose":"text","reasoningEffort":"high"}`)
				w.into(&out, got)
				names := ""
				for _, c := range out.Checks {
					names += map[bool]string{true: " ", false: " !"}[c.OK] + c.Name
				}
				testkit.Equal(t, "checks "+got.body, strings.TrimSpace(names), tc.checks)
				var list tenant.LlmModels
				w.into(&list, w.call(admin, http.MethodGet, one+"/models", ""))
				if provider := tc.key == simKey && kind != "azure"; (list.Source == "provider") != provider || (list.Reason == "") != provider || kind != "compatible" && len(list.Items) == 0 {
					t.Errorf("listed %+v", list)
				}
			})
		}
	}
}

// A change or the deletion of a key is seen at once by another process that
// keeps its list in the same key-value store.
func TestModelListsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	address, prefix := testkit.Redis(t)
	sim := simOf(t, model.Options{APIKey: simKey, Models: []string{"alpha"}})
	s := storetest.SQLite(t)
	w := simulated(t, s, sim)
	process := func() *tenant.Service {
		o, err := redis.ParseURL(address)
		must(t, err)
		client := redis.NewClient(o)
		t.Cleanup(func() { _ = client.Close() })
		kept, err := rediscache.New(rediscache.Options{Client: client, Prefix: prefix})
		must(t, err)
		c := w.tenants.Config
		c.Cache = kept
		return tenant.New(c)
	}
	one, other := process(), process()
	id := w.credential(`{"name":"a","kind":"compatible","apiKey":"` + simKey + `","baseUrl":"https://a.example.com/v1"}`).ID
	list := func(p *tenant.Service, source string, asked int) {
		t.Helper()
		m, err := p.Models(bg, w.Tenant, id)
		must(t, err)
		testkit.Equal(t, "source, and lists that the provider was asked for", fmt.Sprint(m.Source, listings(sim)), fmt.Sprint(source, asked))
	}
	list(one, "provider", 1)
	list(other, "provider", 1)
	wrong := "wrong-key-of-the-test"
	_, err := one.UpdateCredential(bg, w.Tenant, id, 0, tenant.LlmCredentialUpdate{APIKey: patch.To(wrong)})
	must(t, err)
	list(other, "suggestions", 2)
	_, err = one.UpdateCredential(bg, w.Tenant, id, 0, tenant.LlmCredentialUpdate{APIKey: patch.To(simKey)})
	must(t, err)
	list(other, "provider", 3)
	list(one, "provider", 3)
	must(t, one.DeleteCredential(bg, w.Tenant, id))
	if _, err := other.Models(bg, w.Tenant, id); !errs.Is(err, errs.NotFound) {
		t.Errorf("a deleted key: %v", err)
	}
}

// good are rules under which every check of text holds.
func good() []model.Rule {
	return []model.Rule{{Match: model.Match{UserContains: []string{"Call the tool"}}, Reply: model.Reply{ToolCalls: []model.ToolCall{{ID: "c1", Name: "report", Arguments: `{"verdict":"good"}`}}}},
		{Match: model.Match{UserContains: []string{"sum"}}, Reply: model.Reply{Text: `{"verdict":"good"}`}}, {Reply: model.Reply{Text: "ok"}}}
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
		says   string // in the first failed one
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
			w := simulated(t, storetest.SQLite(t), sim)
			if tc.fault != nil {
				_, err := sim.SetFault(*tc.fault)
				must(t, err)
			}
			if tc.key == "" {
				tc.key = `"kind":"compatible","baseUrl":"https://a.example.com/v1","apiKey":"` + simKey + `"`
			}
			id := w.credential(`{"name":"a",` + tc.key + `}`).ID
			var out tenant.LlmChecks
			got := w.call(admin, http.MethodPost, w.tenantPath()+"/llm-credentials/"+id+"/test", tc.body)
			w.into(&out, got)
			var names []string
			says := ""
			for _, c := range out.Checks {
				if !c.OK {
					c.Name = "!" + c.Name
					if says == "" {
						says = c.Message
					}
				}
				names = append(names, c.Name)
			}
			testkit.Equal(t, "checks "+got.body, strings.Join(names, " "), tc.checks)
			if !strings.Contains(says, tc.says) || strings.Contains(got.body, simKey) {
				t.Errorf("says %q, want %q: %s", says, tc.says, got.body)
			}
			log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit?action=llm-credential.test", "").body
			result := `"result":"ok"`
			if strings.Contains(tc.checks, "!") {
				result = `"result":"failed"`
			}
			if !strings.Contains(log, "llm-credential.test") || !strings.Contains(log, result) {
				t.Errorf("the log has no test that is %s: %s", result, log)
			}
		})
	}
}

func TestModelKeyTestsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	id := w.credential(`{"name":"a","kind":"openai","apiKey":"k"}`).ID
	for name, tc := range map[string]struct{ body, field string }{
		"no size":           {`{"model":"m","purpose":"embeddings"}`, "/vectorSize"},
		"a size of nothing": {`{"model":"m","purpose":"text","vectorSize":384}`, "/vectorSize"},
		"another size":      {`{"model":"m","purpose":"embeddings","vectorSize":385}`, "/vectorSize"},
		"effort of vectors": {`{"model":"m","purpose":"embeddings","vectorSize":384,"reasoningEffort":"low"}`, "/reasoningEffort"},
		"no such effort":    {`{"model":"m","purpose":"text","reasoningEffort":"much"}`, "/reasoningEffort"},
		"no such purpose":   {`{"model":"m","purpose":"song"}`, "/purpose"},
	} {
		got := wrongFields(t, w.call(admin, http.MethodPost, w.tenantPath()+"/llm-credentials/"+id+"/test", tc.body))
		testkit.Equal(t, name, fmt.Sprint(got), "["+tc.field+"]")
	}
	testkit.Equal(t, "an absent key", w.call(admin, http.MethodPost, w.tenantPath()+"/llm-credentials/crd_absent/test", `{"model":"m","purpose":"text"}`).status, http.StatusNotFound)
}
