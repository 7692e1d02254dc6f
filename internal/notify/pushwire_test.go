package notify_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/testkit"
)

// browserKeys are the keys that a browser keeps for its subscription.
type browserKeys struct {
	private *ecdh.PrivateKey
	auth    []byte
}

// open decrypts a message as a browser does (RFC 8291, section 3.4, over RFC 8188, section 2).
func (b browserKeys) open(t *testing.T, body []byte) string {
	t.Helper()
	testkit.Require(t, "a header", len(body) > 86, true)
	salt, size, theirs := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:86]
	testkit.Require(t, "length of the sender's key", int(body[20]), 65)
	testkit.Require(t, "one record", len(body)-86 <= int(size), true)
	sender, err := ecdh.P256().NewPublicKey(theirs)
	testkit.OK(t, err)
	shared, err := b.private.ECDH(sender)
	testkit.OK(t, err)
	material, err := hkdf.Key(sha256.New, shared, b.auth, "WebPush: info\x00"+string(b.private.PublicKey().Bytes())+string(theirs), 32)
	testkit.OK(t, err)
	key, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	testkit.OK(t, err)
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	testkit.OK(t, err)
	block, err := aes.NewCipher(key)
	testkit.OK(t, err)
	gcm, err := cipher.NewGCM(block)
	testkit.OK(t, err)
	plain, err := gcm.Open(nil, nonce, body[86:], nil)
	testkit.OK(t, err)
	text, padding, ended := strings.Cut(string(plain), "\x02")
	testkit.Require(t, "the last record ends with its mark", ended && strings.Trim(padding, "\x00") == "", true)
	return text
}

// sentBy returns the signer of a request: the claims of its token, checked with the key beside it (RFC 8292,
// sections 2 and 3).
func sentBy(t *testing.T, header string) (key string, claims map[string]any) {
	t.Helper()
	raw := func(text string) []byte {
		out, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
		testkit.OK(t, err)
		return out
	}
	fields := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(header, "vapid "), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[name] = value
	}
	token := strings.Split(fields["t"], ".")
	testkit.Require(t, "parts of the token", len(token), 3)
	point, sum, signature := raw(fields["k"]), sha256.Sum256([]byte(token[0]+"."+token[1])), raw(token[2])
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	testkit.OK(t, err)
	testkit.Require(t, "the signature is valid", ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])), true)
	testkit.OK(t, json.Unmarshal(raw(token[1]), &claims))
	return fields["k"], claims
}

// A browser's push service gets an encrypted message over TLS that names the instance. The browser can read
// the message, and it contains neither code nor a secret.
func TestPushIsReadByTheBrowserAlone(t *testing.T) {
	t.Parallel()
	s, rawDB := sqlite(t)
	f := newFixture(t, s, rawDB)
	f.pushes()
	type arrival struct {
		header http.Header
		method string
		body   []byte
	}
	arrived := make(chan arrival, 4)
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // a shortened message cannot be decrypted
		arrived <- arrival{r.Header, r.Method, body}
		w.WriteHeader(http.StatusCreated)
	}))
	t.Cleanup(service.Close)
	there := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, service.Listener.Addr().String())
	}
	f.service.PushClient = func(string) *http.Client { // the name of the push service, at the address of the test's
		return &http.Client{Transport: &http.Transport{DialContext: there, TLSClientConfig: &tls.Config{RootCAs: service.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"}, DisableKeepAlives: true}}
	}
	outcomes := make(chan string, 4)
	f.service.Pushed = func(outcome string) { outcomes <- outcome }
	user, v := f.person("reader", domain.RoleAdmin, "")
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	testkit.OK(t, err)
	keys := browserKeys{private, []byte(rand.Text())[:16]}
	v, err = f.service.PutPushSubscription(bg, f.world.Tenant, user, notify.PushSubscriptionCreate{Endpoint: "https://fcm.googleapis.com/fcm/send/reader",
		Keys: notify.PushKeys{P256dh: base64.RawURLEncoding.EncodeToString(private.PublicKey().Bytes()), Auth: base64.RawURLEncoding.EncodeToString(keys.auth)}})
	testkit.OK(t, err)
	f.change(user, v, notify.PushSubscriptionUpdate{Topics: patch.Of([]string{domain.EventSecretFound})})
	f.serve()
	w := f.world
	f.happened(domain.EventSecretFound, domain.SecretFound{RunID: w.Run.ID, RepositoryID: w.Repository.ID, PullRequest: 1, Count: 1})

	var got arrival
	select {
	case got = <-arrived:
	case <-time.After(time.Minute):
		t.Fatal("nothing was sent")
	}
	testkit.Equal(t, "method", got.method, http.MethodPost)
	testkit.Equal(t, "encoding", got.header.Get("Content-Encoding"), "aes128gcm")
	testkit.Equal(t, "time to live", got.header.Get("Ttl"), "86400")
	key, claims := sentBy(t, got.header.Get("Authorization"))
	ours, err := f.service.VAPIDKey(bg)
	testkit.OK(t, err)
	testkit.Equal(t, "key of the instance", strings.TrimRight(key, "="), strings.TrimRight(ours, "="))
	testkit.Equal(t, "audience", claims["aud"], any("https://fcm.googleapis.com"))
	testkit.Equal(t, "sender", claims["sub"], any("https://assay.example.com"))

	var message map[string]string
	testkit.OK(t, json.Unmarshal([]byte(keys.open(t, got.body)), &message))
	testkit.Equal(t, "kind", message["kind"], domain.EventSecretFound)
	testkit.Equal(t, "title and event", message["title"] != "" && strings.HasPrefix(message["eventId"], "evt_"), true)
	for name := range message {
		if !slices.Contains([]string{"kind", "eventId", "title", "body", "url"}, name) {
			t.Errorf("a message has the field %s", name)
		}
	}
	select { // the answer comes after the message
	case outcome := <-outcomes:
		testkit.Equal(t, "outcome", outcome, "delivered")
	case <-time.After(time.Minute):
		t.Fatal("the outcome is not recorded")
	}
}
