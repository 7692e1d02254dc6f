package outbound

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
)

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

func TestCheckURLByPolicy(t *testing.T) {
	t.Parallel()
	strict := Policy{}
	airGap := Policy{
		AllowHTTP:    true,
		AllowedHosts: []string{"10.1.2.3:11434", "10.1.2.4", "localhost:11434", "127.0.0.1:8000", "[fd00::5]:9000", "169.254.169.254"},
		AllowedCIDRs: prefixes("192.168.7.0/24", "fc00::/7", "100.64.0.0/10"),
		OwnPorts:     []int{8080},
	}
	noHTTP := airGap
	noHTTP.AllowHTTP = false
	publicOnly := airGap
	publicOnly.PublicOnly = true
	nat := Policy{NAT64: prefixes("64:ff9b::/96")}
	every := Policy{AllowHTTP: true, AllowedCIDRs: prefixes("0.0.0.0/0", "::/0")}
	demo := Policy{LoopbackPorts: []int{4001, 8080}, OwnPorts: []int{8080}}
	cases := []struct {
		name   string
		policy Policy
		url    string
		ok     bool
	}{
		{"public v4", strict, "https://8.8.8.8/x", true},
		{"public v6", strict, "https://[2606:4700:4700::1111]/", true},
		{"public, other port", strict, "https://8.8.8.8:8443/", false},
		{"public, listed port", Policy{Ports: []int{8443}}, "https://8.8.8.8:8443/", true},
		{"public http", strict, "http://8.8.8.8/", false},
		{"public http in an air gap", airGap, "http://8.8.8.8/", false},
		{"loopback", strict, "https://127.0.0.1/", false},
		{"loopback v6", strict, "https://[::1]/", false},
		{"loopback, other of the /8", strict, "https://127.8.8.8/", false},
		{"private 10", strict, "https://10.0.0.1/", false},
		{"private 172", strict, "https://172.16.0.1/", false},
		{"private 192", strict, "https://192.168.0.1/", false},
		{"shared", strict, "https://100.64.0.1/", false},
		{"unspecified", strict, "https://0.0.0.0/", false},
		{"unspecified v6", strict, "https://[::]/", false},
		{"this network", airGap, "https://0.1.2.3/", false},
		{"broadcast", airGap, "https://255.255.255.255/", false},
		{"multicast", airGap, "https://224.0.0.1/", false},
		{"decimal", strict, "https://2130706433/", false},
		{"decimal public", strict, "https://134744072/", false},
		{"octal", strict, "https://0177.0.0.1/", false},
		{"octal public", strict, "https://010.8.8.8/", false},
		{"hexadecimal", strict, "https://0x7f000001/", false},
		{"hexadecimal parts", strict, "https://0x7f.0.0.1/", false},
		{"short", strict, "https://127.1/", false},
		{"full width", strict, "https://１２７.０.０.１/", false},
		{"circled", strict, "https://①②⑦.0.0.1/", false},
		{"percent", strict, "https://%31%32%37.0.0.1/", false},
		{"zone", airGap, "https://[fe80::1%25eth0]/", false},
		{"mapped private", strict, "https://[::ffff:10.0.0.1]/", false},
		{"mapped public", strict, "https://[::ffff:8.8.8.8]/", false},
		{"mapped metadata", airGap, "https://[::ffff:169.254.169.254]/", false},
		{"mapped metadata although named", Policy{AllowedHosts: []string{"::ffff:100.100.100.200"}}, "https://[::ffff:100.100.100.200]/", false},
		{"compatible", strict, "https://[::127.0.0.1]/", false},
		{"6to4", strict, "https://[2002:7f00:1::]/", false},
		{"teredo", strict, "https://[2001:0:7f00:1::]/", false},
		{"nat64", strict, "https://[64:ff9b::8.8.8.8]/", false},
		{"nat64 allowed, public", nat, "https://[64:ff9b::8.8.8.8]/", true},
		{"nat64 allowed, private", nat, "https://[64:ff9b::10.0.0.1]/", false},
		{"nat64 allowed, metadata", nat, "https://[64:ff9b::a9fe:a9fe]/", false},
		{"documentation v6", strict, "https://[2001:db8::1]/", false},
		{"link-local", airGap, "https://[fe80::1]/", false},
		{"metadata", strict, "https://169.254.169.254/", false},
		{"metadata although named", airGap, "http://169.254.169.254/", false},
		{"metadata v6 within a listed prefix", airGap, "https://[fd00:ec2::254]/", false},
		{"metadata of another cloud within a listed prefix", airGap, "https://100.100.100.200/", false},
		{"metadata at a public address", strict, "https://168.63.129.16/", false},
		{"named with port", airGap, "http://10.1.2.3:11434/v1", true},
		{"named, other port", airGap, "http://10.1.2.3:6379/", false},
		{"named without port", airGap, "http://10.1.2.4/", true},
		{"named without port, other port", airGap, "https://10.1.2.4:6379/", false},
		{"in a listed prefix", airGap, "http://192.168.7.9:4000/", true},
		{"outside a listed prefix", airGap, "https://192.168.8.9/", false},
		{"v6 named", airGap, "http://[fd00::5]:9000/", true},
		{"loopback named", airGap, "http://127.0.0.1:8000/", true},
		{"loopback, not named", airGap, "http://127.0.0.1:8001/", false},
		{"named but http off", noHTTP, "http://10.1.2.3:11434/", false},
		{"named, https, http off", noHTTP, "https://10.1.2.4/", true},
		{"public only ignores names", publicOnly, "https://10.1.2.4/", false},
		{"public only ignores prefixes", publicOnly, "https://192.168.7.9/", false},
		{"public only, public", publicOnly, "https://8.8.8.8/", true},
		{"everything named, own", every, "https://10.0.0.1/", true},
		{"everything named, 6to4 of another", every, "https://[2002:a00:1::]/", true},
		{"everything named, 6to4 of metadata", every, "https://[2002:a9fe:a9fe::]/", false},
		{"everything named, nat64 of metadata", every, "https://[64:ff9b::a9fe:a9fe]/", false},
		{"everything named, local nat64 of metadata", every, "https://[64:ff9b:1::a9fe:a9fe]/", false},
		{"everything named, compatible metadata", every, "https://[::a9fe:a9fe]/", false},
		{"everything named, teredo of metadata", every, "https://[2001::5601:5601]/", false},
		{"everything named, teredo of loopback", every, "https://[2001::80ff:fffe]/", false},
		{"everything named, 6to4 of loopback", every, "https://[2002:7f00:1::]/", false},
		{"own process", demo, "http://127.0.0.1:4001/", true},
		{"own listener", demo, "http://127.0.0.1:8080/", false},
		{"scheme", strict, "ftp://8.8.8.8/", false},
		{"file", strict, "file:///etc/passwd", false},
		{"git transport", strict, "ext::sh -c x", false},
		{"opaque", strict, "https:8.8.8.8", false},
		{"no host", strict, "https:///x", false},
		{"userinfo", strict, "https://u:p@8.8.8.8/", false},
		{"userinfo trick", strict, "https://8.8.8.8#@10.0.0.1/", false},
		{"backslash", strict, `https://8.8.8.8\@10.0.0.1/`, false},
		{"line end", strict, "https://8.8.8.8/\r\nx", false},
		{"port 0", strict, "https://8.8.8.8:0/", false},
		{"port out of range", strict, "https://8.8.8.8:65536/", false},
		{"empty", strict, "", false},
		{"empty label", strict, "https://a..b/", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := CheckURL(t.Context(), c.url, c.policy)
			if (err == nil) != c.ok {
				t.Fatalf("CheckURL = %v, want ok = %v", err, c.ok)
			}
			if err == nil {
				return
			}
			if _, refused := errors.AsType[*RefusedError](err); !refused || !errs.Is(err, errs.Invalid) {
				t.Fatalf("want a refusal of kind invalid, got %v", err)
			}
		})
	}
}

// A refusal names all missing settings at once, and none that is already set.
func TestRefusalsNameTheSettings(t *testing.T) {
	t.Parallel()
	const http, hosts, cidrs = "ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_CIDRS"
	strict, plain, named := Policy{}, Policy{AllowHTTP: true}, Policy{AllowedHosts: []string{"127.0.0.1:3000", "10.0.0.7:3000", "git.corp"}}
	inside := Policy{AllowedCIDRs: prefixes("10.0.0.0/8")}
	for _, c := range []struct {
		url    string
		policy Policy
		names  []string
	}{
		{"http://127.0.0.1:3000/", strict, []string{http, hosts}},
		{"http://localhost:3000/", strict, []string{http, hosts}},
		{"http://[::1]:3000/", strict, []string{http, hosts}},
		{"https://127.0.0.1:3000/", strict, []string{hosts}},
		{"http://127.0.0.1:3000/", plain, []string{hosts}},
		{"http://127.0.0.1:3000/", named, []string{http}},
		{"http://10.0.0.7:3000/", strict, []string{http, hosts, cidrs}},
		{"http://10.0.0.7:3000/", plain, []string{hosts, cidrs}},
		{"http://10.0.0.7:3000/", named, []string{http}},
		{"http://10.0.0.7:3000/", inside, []string{http}},
		{"https://10.0.0.7/", strict, []string{hosts, cidrs}},
		{"http://git.corp/", strict, []string{http, hosts, cidrs}},
		{"http://git.corp/", named, []string{http}},
		{"http://git.other/", inside, []string{http, hosts, cidrs}},
		{"https://git.corp:8443/", strict, []string{hosts}},
		{"http://127.0.0.1:3000/", Policy{PublicOnly: true}, nil},
		{"http://10.0.0.7:3000/", Policy{PublicOnly: true}, nil},
		{"http://git.corp/", Policy{PublicOnly: true}, nil},
	} {
		err := New(c.policy).CheckForm(c.url)
		if err == nil {
			t.Errorf("%s is allowed", c.url)
			continue
		}
		for _, setting := range []string{http, hosts, cidrs} {
			if got, want := strings.Contains(err.Error(), setting), slices.Contains(c.names, setting); got != want {
				t.Errorf("%s under %+v: %q names %s: %v, want %v", c.url, c.policy, err, setting, got, want)
			}
		}
	}
}

func TestPurposeNarrowsThePolicy(t *testing.T) {
	t.Parallel()
	f := New(Policy{AllowedHosts: []string{"10.1.2.4"}})
	if err := f.CheckURL(t.Context(), "https://10.1.2.4/", Purpose{}); err != nil {
		t.Error(err)
	}
	if err := f.CheckURL(t.Context(), "https://10.1.2.4/", Purpose{PublicOnly: true}); err == nil {
		t.Error("a purpose for public addresses reaches a private one")
	}
	if err := f.CheckURL(t.Context(), "https://8.8.8.8:8443/", Purpose{Ports: "8443, 9443"}); err != nil {
		t.Error(err)
	}
}

func TestProxyFor(t *testing.T) {
	t.Parallel()
	p := Policy{ProxyURL: secret.New("http://proxy.corp:3128"), AllowedHosts: []string{"ghes.corp"}}
	for host, want := range map[string]bool{"api.github.com": true, "ghes.corp": false, "localhost": false, "127.0.0.1": false, "::1": false} {
		if got := p.proxyFor(target{host: host, port: 443}); (got != nil) != want {
			t.Errorf("%s: proxy %v", host, got)
		}
	}
}

func FuzzTargetOf(f *testing.F) {
	for _, s := range []string{"https://a.example/", "http://[::1]:80/", "https://0x7f.1/", "https://a%00b/", "https://1.2.3.4."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil {
			t.Skip()
		}
		got, err := targetOf(u)
		if err != nil {
			return
		}
		if _, err := netip.ParseAddr(got.host); err == nil {
			return
		}
		for _, r := range got.host {
			if r <= ' ' || r > '~' {
				t.Fatalf("accepted the host %q", got.host)
			}
		}
		if got.port < 1 || got.port > 65535 {
			t.Fatalf("accepted the port %d", got.port)
		}
	})
}
