package tenant_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// editions returns the editions of the configuration.
func editions() []string { return []string{config.SelfHosted, config.Hosted, config.Enterprise} }

// caller is a world in which model keys are used with the guard of production.
type caller struct{ *featuretest.World }

func newCaller(t *testing.T, edition string, policy outbound.Policy) caller {
	t.Helper()
	factory := outbound.New(policy)
	t.Cleanup(factory.Close)
	return caller{featuretest.NewWorld(t, storetest.SQLite(t), func(o *featuretest.Options) {
		o.Outbound, o.Enterprise = factory, edition == config.Enterprise
	})}
}

// tried is the result of using an address: whether it could be saved, and the answers of a list, a test
// and a call of a review, "" if they reached a model.
type tried struct {
	saved              bool
	list, test, review string
}

// try saves a base URL as an admin does, or directly in the store if it is refused (as if another
// configuration had saved it), and uses it.
func (c caller) try(t testing.TB, base string) (out tried) {
	t.Helper()
	id := domain.NewID("crd")
	made, err := c.Features.Tenant.CreateCredential(bg, c.Tenant, tenant.LlmCredentialCreate{Name: id, Kind: "compatible", BaseURL: base})
	if out.saved = err == nil; out.saved {
		id = made.ID
	} else {
		testkit.Equal(t, base+": wrong fields", featuretest.Pointers(t, err), "/baseUrl")
		storetest.Credential(t, c.Store, c.Tenant, store.Credential{ID: id, Name: id, Kind: "compatible", BaseURL: base})
	}
	list, err := c.Features.Tenant.Models(bg, c.Tenant, id)
	testkit.OK(t, err)
	out.list = list.Reason
	checks, err := c.Features.Tenant.TestCredential(bg, c.Tenant, id, tenant.ConnectionTestRequest{Model: "sim-fast", Purpose: "text"})
	testkit.OK(t, err)
	if first := checks.Checks[0]; !first.OK {
		out.test = first.Message
	}
	out.review = c.review(t, id)
	testkit.OK(t, c.Store.PutSetting(bg, c.Tenant, "", store.SettingModelPolicy, "{}"))
	testkit.OK(t, c.Features.Tenant.DeleteCredential(bg, c.Tenant, id))
	return out
}

// review makes one call like a review.
func (c caller) review(t testing.TB, id string) string {
	t.Helper()
	testkit.OK(t, c.Store.PutSetting(bg, c.Tenant, "", store.SettingModelPolicy, `{`+tiersOf(id, "sim-fast", "")+`}`))
	opened, _, err := c.Features.Models.Open(bg, c.Run, nil)
	if err != nil {
		return err.Error()
	}
	_, err = opened.Standard.Client.Complete(bg, llm.Request{Model: "sim-fast", Messages: []llm.Message{{Role: llm.User, Text: "hello"}}})
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Retryable() {
		return "retryable: " + e.ProviderMessage
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// refused reports whether every use was refused before anything was sent.
func (o tried) refused() bool {
	for _, says := range []string{o.list, o.test, o.review} {
		if !strings.Contains(says, "is refused: ") && !strings.Contains(says, "base URL: must ") && says != "The provider could not be asked." && says != "The call failed." {
			return false
		}
	}
	return true
}

// forms returns hosts that mean an IPv4 address to some resolver or translator: plain, in old and
// strange notations, and inside of IPv6 addresses (RFC 4291, 6052, 8215, 3056, 4380).
func forms(dotted string) []string {
	b := netip.MustParseAddr(dotted).As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	high, low := n>>16, n&0xffff
	wide := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r - '0' + '０'
		}
		return r
	}, dotted)
	circled := strings.NewReplacer("0", "⓪", "1", "①", "2", "②", "3", "③", "4", "④", "5", "⑤", "6", "⑥", "7", "⑦", "8", "⑧", "9", "⑨").Replace(dotted)
	percent := ""
	for _, r := range dotted {
		percent += fmt.Sprintf("%%%02x", r)
	}
	return []string{dotted, dotted + ".", fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0%o", n), fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]), fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("%03d.%d.%d.%d", b[0], b[1], b[2], b[3]), wide, strings.ReplaceAll(dotted, ".", "。"), circled, percent,
		"[::ffff:" + dotted + "]", fmt.Sprintf("[::ffff:%x:%x]", high, low), "[::" + dotted + "]", fmt.Sprintf("[64:ff9b::%x:%x]", high, low), fmt.Sprintf("[64:ff9b:1::%x:%x]", high, low),
		fmt.Sprintf("[2002:%x:%x::]", high, low), fmt.Sprintf("[2001::%x:%x]", ^high&0xffff, ^low&0xffff), fmt.Sprintf("[::ffff:%s%%25eth0]", dotted)}
}

// never returns addresses that no configuration opens: metadata of AWS (EC2, ECS, EKS), Google, Azure,
// Alibaba and Oracle, link-local ones, and "this host".
func never() []string {
	return append(forms("169.254.169.254"), "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192", "168.63.129.16", "0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1",
		"[::ffff:100.100.100.200]", "[64:ff9b::c000:c0]", "[2002:a83f:8110::]", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]", "[fe80::1]", "[fe80::1%25eth0]", "[::]", "[ff02::1]",
		"metadata.name.test", "metadata6.name.test", "alias.name.test", "unspecified.name.test", "metadata.name.test.")
}

// inside returns private addresses, reachable only if the configuration names them.
func inside() []string {
	return []string{"10.0.0.7", "172.16.0.7", "192.168.0.7", "100.64.0.7", "198.18.0.7", "[fd00::7]", "[::ffff:10.0.0.7]"}
}

// names resolves the names of the tests. Every second lookup of rebinding.name.test finds another
// address.
func names(name string, n int) testkit.Named {
	at := func(texts ...string) (out testkit.Named) {
		for _, a := range texts {
			out.Addrs = append(out.Addrs, netip.MustParseAddr(a))
		}
		return out
	}
	switch name {
	case "metadata.name.test", "metadata.google.internal":
		return at("169.254.169.254")
	case "metadata6.name.test":
		return at("fd00:ec2::254")
	case "alias.name.test":
		return testkit.Named{Alias: "metadata.google.internal", Addrs: at("169.254.169.254").Addrs}
	case "unspecified.name.test":
		return at("0.0.0.0", "::")
	case "loopback.name.test", "models.name.test":
		return at("127.0.0.1")
	case "private.name.test":
		return at("10.0.0.7")
	case "mixed.name.test":
		return at("8.8.8.8", "10.0.0.7")
	case "mixed-first.name.test":
		return at("10.0.0.7", "8.8.8.8")
	case "families.name.test":
		return at("8.8.8.8", "fd00::7")
	case "rebinding.name.test":
		if n%2 == 1 {
			return at("8.8.8.8")
		}
		return at("10.0.0.7")
	}
	return testkit.Named{}
}

// Without an air-gap configuration, every edition reaches only public https.
func TestModelAddressesAreRefused(t *testing.T) {
	t.Parallel()
	hosts := append(never(), append(inside(), forms("127.0.0.1")...)...)
	hosts = append(hosts, "[::1]", "localhost", "a.localhost", "localhost.", "loopback.name.test", "private.name.test", "mixed.name.test", "mixed-first.name.test", "families.name.test",
		"rebinding.name.test", "user:pass@8.8.8.8", "8.8.8.8:8443", "8.8.8.8:0", "8.8.8.8:65536", "8.8.8.8#@10.0.0.7", `8.8.8.8\@10.0.0.7`, "8.8.8.8?@10.0.0.7")
	for _, edition := range editions() {
		t.Run(edition, func(t *testing.T) {
			t.Parallel()
			c := newCaller(t, edition, outbound.Policy{Resolver: testkit.Resolver(t, names)})
			for _, host := range hosts {
				if got := c.try(t, "https://"+host+"/v1"); !got.refused() || got.saved && !strings.Contains(host, ".name.test") {
					t.Errorf("%s: %+v", host, got)
				}
			}
			for _, base := range []string{"http://8.8.8.8/v1", "http://models.name.test/v1", "ftp://8.8.8.8/v1", "//8.8.8.8/v1", "https:8.8.8.8/v1"} {
				if got := c.try(t, base); !got.refused() || got.saved {
					t.Errorf("%s: %+v", base, got)
				}
			}
		})
	}
}

// Some addresses stay refused, whatever the air-gap configuration names, among them our own listeners.
// In the edition enterprise the configuration has no effect.
func TestModelAddressesThatNothingOpens(t *testing.T) {
	t.Parallel()
	const own = 8470
	every := outbound.Policy{AllowHTTP: true, AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, OwnPorts: []int{own},
		AllowedHosts: []string{"169.254.169.254", "fd00:ec2::254", "metadata.name.test", "localhost:8470", "127.0.0.1:8470", "[::1]:8470", "loopback.name.test:8470"}}
	for _, edition := range editions() {
		t.Run(edition, func(t *testing.T) {
			t.Parallel()
			policy := every
			policy.Resolver = testkit.Resolver(t, names)
			c := newCaller(t, edition, policy)
			hosts := never()
			for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "localhost.", "loopback.name.test", "127.1", "2130706433"} {
				hosts = append(hosts, host+":"+strconv.Itoa(own))
			}
			if edition == config.Enterprise {
				hosts = append(hosts, inside()...)
				hosts = append(hosts, "127.0.0.1:11434", "localhost:11434", "loopback.name.test", "private.name.test", "rebinding.name.test")
			}
			for i, host := range hosts {
				scheme := []string{"https://", "http://"}[i%2]
				if got := c.try(t, scheme+host+"/v1"); !got.refused() || got.saved && !strings.Contains(host, ".name.test") {
					t.Errorf("%s%s: %+v", scheme, host, got)
				}
			}
		})
	}
}

// Addresses that the air-gap configuration names are reached, except in the edition enterprise.
func TestModelAddressesThatAreNamed(t *testing.T) {
	t.Parallel()
	sim := simOf(t, model.Options{})
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(sim.Close)
	at, err := url.Parse(server.URL)
	testkit.OK(t, err)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	private := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
		netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("fc00::/7")}
	for _, edition := range editions() {
		for name, tc := range map[string]struct {
			policy outbound.Policy
			host   string
			opens  bool
		}{
			"address and port":           {outbound.Policy{AllowHTTP: true, AllowedHosts: []string{at.Host}}, at.Host, true},
			"localhost and port":         {outbound.Policy{AllowHTTP: true, AllowedHosts: []string{"localhost:" + at.Port()}}, "localhost:" + at.Port(), true},
			"network":                    {outbound.Policy{AllowHTTP: true, AllowedCIDRs: loopback}, "models.name.test:" + at.Port(), true},
			"network, trailing dot":      {outbound.Policy{AllowHTTP: true, AllowedCIDRs: loopback}, "models.name.test.:" + at.Port(), true},
			"network, but no plain http": {outbound.Policy{AllowedCIDRs: loopback}, "models.name.test:" + at.Port(), false},
			"another port":               {outbound.Policy{AllowHTTP: true, AllowedHosts: []string{"127.0.0.1:1"}}, at.Host, false},
			"name that is loopback":      {outbound.Policy{AllowHTTP: true, AllowedHosts: []string{"models.name.test:" + at.Port()}}, "models.name.test:" + at.Port(), false},
			"another network":            {outbound.Policy{AllowHTTP: true, AllowedCIDRs: private}, "models.name.test:" + at.Port(), false},
		} {
			t.Run(edition+"/"+name, func(t *testing.T) {
				t.Parallel()
				tc.policy.Resolver = testkit.Resolver(t, names)
				got := newCaller(t, edition, tc.policy).try(t, "http://"+tc.host+"/v1")
				if tc.opens && edition != config.Enterprise {
					testkit.Equal(t, "outcome", got, tried{saved: true})
				} else if !got.refused() {
					t.Errorf("%+v", got)
				}
			})
		}
		t.Run(edition+"/saved", func(t *testing.T) { // no server has these addresses here, so they are not called
			t.Parallel()
			c := newCaller(t, edition, outbound.Policy{AllowHTTP: true, AllowedCIDRs: private})
			for i, host := range inside() {
				for j, base := range []string{"https://" + host + "/v1", "http://" + host + ":11434/v1"} {
					_, err := c.Features.Tenant.CreateCredential(bg, c.Tenant, tenant.LlmCredentialCreate{Name: fmt.Sprintf("k%d-%d", i, j), Kind: "compatible", BaseURL: base})
					want := ""
					if edition == config.Enterprise {
						want = "/baseUrl"
					}
					testkit.Equal(t, base+": wrong fields", featuretest.Pointers(t, err), want)
				}
			}
		})
	}
}

// An answer cannot redirect a call, and proxies of the environment are not used.
func TestModelCallsAreNotLedElsewhere(t *testing.T) {
	var led atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, elsewhere.URL)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(strings.Split(r.URL.Path, "/")[1])
		if err != nil {
			status = http.StatusTeapot
		}
		w.Header().Set("Location", elsewhere.URL+"/v1/models")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	port := func(raw string) int {
		u, err := url.Parse(raw)
		testkit.OK(t, err)
		n, err := strconv.Atoi(u.Port())
		testkit.OK(t, err)
		return n
	}
	for _, edition := range editions() {
		t.Run(edition, func(t *testing.T) {
			c := newCaller(t, edition, outbound.Policy{LoopbackPorts: []int{port(server.URL), port(elsewhere.URL)}, Resolver: testkit.Resolver(t, names)})
			for status := 300; status <= 308; status++ {
				got := c.try(t, fmt.Sprintf("http://models.name.test:%d/%d/v1", port(server.URL), status))
				for _, says := range []string{got.list, got.test, got.review} {
					if !strings.Contains(says, "redirect") || strings.HasPrefix(says, "retryable") {
						t.Errorf("%d: %+v", status, got)
					}
				}
			}
		})
	}
	testkit.Equal(t, "calls that went elsewhere", led.Load(), 0)
}
