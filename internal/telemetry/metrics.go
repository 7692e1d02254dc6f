package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Build is the version information of a binary.
type Build struct{ Version, Commit, Edition string }

// Metrics are all metrics of one process. They are created once and passed down; no metric is global.
// Labels never contain tenants, repositories or other values that outsiders can multiply. The methods are
// safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	names    []string          // of our own metrics, as exported
	help     map[string]string // by name

	httpRequests    *prometheus.CounterVec
	httpSeconds     *prometheus.HistogramVec
	refusals        *prometheus.CounterVec
	webhookAnswers  *prometheus.CounterVec
	ingestSeconds   *prometheus.HistogramVec
	deliveries      *prometheus.CounterVec
	jobs            *prometheus.CounterVec
	jobSeconds      *prometheus.HistogramVec
	queueLag        *prometheus.GaugeVec
	deadJobs        *prometheus.GaugeVec
	dispatched      *prometheus.CounterVec
	runs            *prometheus.CounterVec
	startDelay      prometheus.Histogram
	modelCalls      *prometheus.CounterVec
	assistantCalls  *prometheus.CounterVec
	assistantTimes  *prometheus.HistogramVec
	modelSeconds    *prometheus.HistogramVec
	modelTokens     *prometheus.CounterVec
	modelCostMicros *prometheus.CounterVec
	gateWaitSeconds *prometheus.HistogramVec
	gateBlocks      *prometheus.CounterVec
	publishOutcomes *prometheus.CounterVec
	hostRequests    *prometheus.CounterVec
	hostSeconds     *prometheus.HistogramVec
	violations      *prometheus.GaugeVec
	pushes          *prometheus.CounterVec
}

// Buckets, in seconds. They include the promised figures: 25 ms and 1 s for the answer to a webhook, 60 s
// for the start of a review.
var (
	fast = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	slow = []float64{.05, .25, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800}
)

// NewMetrics creates and registers every metric.
func NewMetrics(b Build) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), help: map[string]string{}}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	info := m.gauge("build_info", "Constant 1 with version, commit and edition of the binary.", "version", "commit", "edition")
	info.WithLabelValues(b.Version, b.Commit, b.Edition).Set(1)

	m.httpRequests = m.counter("http_requests_total", "Requests by route pattern, method and status.", "route", "method", "code")
	m.httpSeconds = m.histogram("http_request_seconds", "Duration of requests.", fast, "route", "method")
	m.refusals = m.counter("refusals_total", "Refused requests, by reason and by whether a person was signed in.", "reason", "who")
	m.webhookAnswers = m.counter("webhook_answers_total", "Answers to webhooks by source and outcome.", "source", "outcome")
	m.ingestSeconds = m.histogram("ingest_seconds", "From the first byte of a webhook to its answer.", fast, "source")
	m.deliveries = m.counter("deliveries_total", "Processed deliveries by event and disposition.", "event", "disposition")
	m.jobs = m.counter("jobs_total", "Ended attempts of jobs by kind, lane and outcome.", "kind", "lane", "outcome")
	m.jobSeconds = m.histogram("job_seconds", "Duration of attempts.", slow, "kind", "lane")
	m.queueLag = m.gauge("queue_lag_seconds", "Age of the oldest due job that no worker has claimed.", "lane")
	m.deadJobs = m.gauge("dead_jobs", "Jobs that ended as dead letters and wait for an operator.", "lane")
	m.dispatched = m.counter("dispatched_hints_total", "Hints that the relay put into the queue.", "lane")
	m.runs = m.counter("runs_total", "Review runs by the state they entered.", "state")
	m.startDelay = m.histogram("review_start_delay_seconds", "From the receipt of a delivery to the start of the run that it made.",
		slow).WithLabelValues().(prometheus.Histogram)
	m.modelCalls = m.counter("model_calls_total", "Calls of models by kind of provider, tier and outcome.", "provider", "tier", "outcome")
	m.assistantCalls = m.counter("assistant_calls_total", "Calls of assistants at /mcp by kind, name and outcome.", "kind", "name", "outcome")
	m.assistantTimes = m.histogram("assistant_call_seconds", "Duration of calls of assistants at /mcp.", slow, "kind", "name")
	m.modelSeconds = m.histogram("model_call_seconds", "Duration of calls of models.", slow, "provider", "tier")
	m.modelTokens = m.counter("model_tokens_total", "Tokens by kind of provider, tier and direction.", "provider", "tier", "direction")
	m.modelCostMicros = m.counter("model_cost_micros_total", "Cost in millionths of the currency.", "provider", "tier", "currency")
	m.gateWaitSeconds = m.histogram("gate_wait_seconds", "Waiting for the rate gate of a code host.", slow, "host", "kind")
	m.gateBlocks = m.counter("gate_blocks_total", "Blocks that a code host imposed (host), and requests of periodic sweeps that "+
		"were left for later (sweeps), by reason.", "host", "reason")
	m.publishOutcomes = m.counter("publish_outcomes_total", "Ends of publications by kind and outcome.", "kind", "outcome")
	m.hostRequests = m.counter("host_requests_total", "Requests to code hosts by kind of host, operation and class of answer.", "host",
		"operation", "class")
	m.hostSeconds = m.histogram("host_request_seconds", "Duration of requests to code hosts, after the wait for the rate gate.", slow, "host")
	m.violations = m.gauge("invariant_violations", "Rows for which a promise of the service does not hold, by promise; no value while "+
		"they cannot be counted.", "invariant")
	m.pushes = m.counter("push_messages_total", "Attempts to send push messages to browsers, by outcome.", "outcome")
	return m
}

func (m *Metrics) register(name, help string, c prometheus.Collector) {
	m.registry.MustRegister(c)
	name = "assay_" + name
	m.names, m.help[name] = append(m.names, name), help
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "assay", Name: name, Help: help}, labels)
	m.register(name, help, v)
	return v
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "assay", Name: name, Help: help}, labels)
	m.register(name, help, v)
	return v
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "assay", Name: name, Help: help, Buckets: buckets}, labels)
	m.register(name, help, v)
	return v
}

// Handler serves the metrics in the Prometheus and OpenMetrics formats.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4})
}

// Names returns the names of the service's own metrics in the order of registration, without those of the
// Go runtime and the process.
func (m *Metrics) Names() []string { return slices.Clone(m.names) }

// Registry returns the registry, for collectors of the store and the pools.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// HTTPRequest counts an answered request. route is the pattern, never the path.
func (m *Metrics) HTTPRequest(route, method string, code int, took time.Duration) {
	method = knownMethod(method)
	m.httpRequests.WithLabelValues(route, method, strconv.Itoa(code)).Inc()
	m.httpSeconds.WithLabelValues(route, method).Observe(took.Seconds())
}

// Refusal counts a refused request. reason is a stable code such as "csrf"; who is "user" or "anonymous".
func (m *Metrics) Refusal(reason, who string) { m.refusals.WithLabelValues(reason, who).Inc() }

// knownMethod replaces unknown methods by "other", so that invented ones do not become labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// WebhookAnswer counts an answer to a webhook. source is a kind of host. outcome is "accepted", "duplicate" or the name
// of a kind of error.
func (m *Metrics) WebhookAnswer(source, outcome string, took time.Duration) {
	m.webhookAnswers.WithLabelValues(source, outcome).Inc()
	m.ingestSeconds.WithLabelValues(source).Observe(took.Seconds())
}

// Delivery counts a processed delivery. event is a known event name or "other".
func (m *Metrics) Delivery(event, disposition string) {
	m.deliveries.WithLabelValues(event, disposition).Inc()
}

// Job counts the end of one attempt of a job. outcome is "done", "snoozed", "failed", "dead", "lost" or "unrecorded".
func (m *Metrics) Job(kind, lane, outcome string, took time.Duration) {
	m.jobs.WithLabelValues(kind, lane, outcome).Inc()
	m.jobSeconds.WithLabelValues(kind, lane).Observe(took.Seconds())
}

// QueueLag sets the age of the oldest due job of a lane that no worker has claimed.
func (m *Metrics) QueueLag(lane string, age time.Duration) {
	m.queueLag.WithLabelValues(lane).Set(age.Seconds())
}

// DeadJobs sets the number of dead letters of a lane.
func (m *Metrics) DeadJobs(lane string, n int) { m.deadJobs.WithLabelValues(lane).Set(float64(n)) }

// Dispatched counts hints that the relay put into the queue.
func (m *Metrics) Dispatched(lane string, n int) {
	m.dispatched.WithLabelValues(lane).Add(float64(n))
}

// Run counts a review run that entered a state.
func (m *Metrics) Run(state string) { m.runs.WithLabelValues(state).Inc() }

// ReviewStarted records the time from the receipt of a delivery to the start of its run.
func (m *Metrics) ReviewStarted(delay time.Duration) { m.startDelay.Observe(delay.Seconds()) }

// ModelCall is one finished call of a model.
type ModelCall struct {
	Provider, Tier, Outcome   string // Outcome is "ok" or a class of error
	Took                      time.Duration
	InputTokens, OutputTokens int64
	CostMicros                int64 // millionths of Currency; 0 if unknown
	Currency                  string
}

// ModelCall counts a call of a model with its tokens and cost.
func (m *Metrics) ModelCall(c ModelCall) {
	m.modelCalls.WithLabelValues(c.Provider, c.Tier, c.Outcome).Inc()
	m.modelSeconds.WithLabelValues(c.Provider, c.Tier).Observe(c.Took.Seconds())
	m.modelTokens.WithLabelValues(c.Provider, c.Tier, "input").Add(float64(max(c.InputTokens, 0)))
	m.modelTokens.WithLabelValues(c.Provider, c.Tier, "output").Add(float64(max(c.OutputTokens, 0)))
	if c.CostMicros > 0 {
		m.modelCostMicros.WithLabelValues(c.Provider, c.Tier, c.Currency).Add(float64(c.CostMicros))
	}
}

// GateWait records waiting for a rate gate; kind is "read" or "write".
func (m *Metrics) GateWait(host, kind string, waited time.Duration) {
	m.gateWaitSeconds.WithLabelValues(host, kind).Observe(waited.Seconds())
}

// GateBlock counts a block. reason is "host" if the host imposed it, and "sweeps" if the gate postponed a sweep.
func (m *Metrics) GateBlock(host, reason string) { m.gateBlocks.WithLabelValues(host, reason).Inc() }

// Publish counts the end of a publication.
func (m *Metrics) Publish(kind, outcome string) {
	m.publishOutcomes.WithLabelValues(kind, outcome).Inc()
}

// HostRequest counts a request to a code host; class is "2xx" … "5xx",
// "limited" or "network". operation is a fixed name of ours.
func (m *Metrics) HostRequest(host, operation, class string, took time.Duration) {
	m.hostRequests.WithLabelValues(host, operation, class).Inc()
	m.hostSeconds.WithLabelValues(host).Observe(took.Seconds())
}

// Violations sets the number of rows that violate an invariant.
func (m *Metrics) Violations(invariant string, n int) {
	m.violations.WithLabelValues(invariant).Set(float64(n))
}

// NoViolations removes the counts after a failed measurement, because an old count would look current.
func (m *Metrics) NoViolations() { m.violations.Reset() }

// Push counts an attempt to send a message to a browser: delivered, again (another attempt follows),
// failed, or dropped (it no longer suits this browser).
func (m *Metrics) Push(outcome string) { m.pushes.WithLabelValues(outcome).Inc() }

// AssistantCall counts an assistant's call at /mcp; name is one of a fixed set.
func (m *Metrics) AssistantCall(kind, name, outcome string, took time.Duration) {
	m.assistantCalls.WithLabelValues(kind, name, outcome).Inc()
	m.assistantTimes.WithLabelValues(kind, name).Observe(took.Seconds())
}
