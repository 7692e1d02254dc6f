package azure

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

func TestBasic(t *testing.T) {
	key := secret.New("a secret of a hook")
	value := Basic(key)
	if Verify(http.Header{"Authorization": {value}}, []secret.Secret{key}) != nil {
		t.Error("the password of Basic is not read as it is written")
	}
}

func TestProofs(t *testing.T) {
	key := []secret.Secret{secret.New("one"), secret.New("two")}
	both := http.Header{"Authorization": {Basic(secret.New("wrong"))}, SecretHeader: {"two"}}
	if Verify(both, key) != nil {
		t.Error("a correct header does not make up for a wrong password")
	}
	for name, h := range map[string]http.Header{"none": {}, "empty": {SecretHeader: {""}}, "twice": {SecretHeader: {"one", "one"}}, "long": {SecretHeader: {strings.Repeat("o", 3000)}}, "wrong": {SecretHeader: {"on"}}} {
		if Verify(h, key) == nil || Verify(h, nil) == nil {
			t.Errorf("%s: proven", name)
		}
	}
	if _, err := Proofs(http.Header{SecretHeader: {"one", "two"}}); err == nil || strings.Contains(err.Error(), "two") {
		t.Errorf("%v", err)
	}
}

func TestSignIn(t *testing.T) {
	for _, c := range []struct {
		status int
		at     string
		want   bool
	}{{401, "", true}, {203, "", true}, {302, "https://spsprodcus1.vssps.visualstudio.com/_signin?realm=x", true}, {302, "https://elsewhere.example", false}, {200, "", false}, {403, "", false}} {
		if got := SignIn(c.status, http.Header{"Location": {c.at}}); got != c.want {
			t.Errorf("%d %s: %v", c.status, c.at, got)
		}
	}
}

func TestReadEnvelope(t *testing.T) {
	e, err := ReadEnvelope([]byte(`{"id":"a","eventType":"git.push","createdDate":"2026-11-23T10:00:00.123Z","resource":{"x":1}}`))
	if err != nil || e.ID != "a" || e.EventType != "git.push" || string(e.Resource) != `{"x":1}` || !e.Created.Equal(time.Date(2026, 11, 23, 10, 0, 0, 123e6, time.UTC)) {
		t.Errorf("%+v %v", e, err)
	}
	for _, body := range []string{"", "[]", `{"eventType":""}`, `{"eventType":"a b"}`, `{"eventType":"git.push","id":"` + strings.Repeat("a", 200) + `"}`, strings.Repeat("[", 20_000)} {
		if _, err := ReadEnvelope([]byte(body)); err == nil {
			t.Errorf("%.40s: no error", body)
		}
	}
}

func TestRefusal(t *testing.T) {
	if r := ReadRefusal([]byte(`{"message":"TF401232: gone","typeKey":"X"}`)); r.Message == "" || r.TypeKey != "X" || ReadRefusal([]byte("<p>")).Message != "" {
		t.Errorf("%+v", r)
	}
}
