package azuredevops

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// Entra names an application (service principal) of Microsoft Entra. The zero value means a personal access token.
type Entra struct {
	Tenant string // id or domain of the directory
	Client string // id of the application
}

// IsSet reports whether an application is named.
func (e Entra) IsSet() bool { return e != Entra{} }

// entraForm matches ids and domains.
var entraForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,199}$`)

// validEntra reports whether a text can be the id or the domain of a directory, or the id of an application.
func validEntra(s string) bool { return entraForm.MatchString(s) }

func (e Entra) check() error {
	if e.IsSet() && (!validEntra(e.Tenant) || !validEntra(e.Client)) {
		return errors.New("azure-devops: Entra needs the ids of a directory and of an application")
	}
	return nil
}

// resource is the scope of access tokens for Azure DevOps: the id of its application and "/.default"
// (learn.microsoft.com/azure/devops/integrate/get-started/authentication/service-principal-managed-identity).
const resource = "499b84ac-1321-427f-aa17-267ca6975798/.default"

// entraAddress signs applications in for the cloud.
const entraAddress = "https://login.microsoftonline.com"

// tokenMargin is how long before its end an access token is replaced.
const tokenMargin = 5 * time.Minute

// signer makes the header that proves who asks. Access tokens of an application live about an hour. It is safe for concurrent use.
type signer struct {
	instance wire.Instance
	entra    Entra
	address  string            // of the sign-in
	tokens   *wire.TokenSource // of an application; nil for a personal access token
}

func newSigner(e Entra, at wire.Instance) *signer {
	s := &signer{instance: at, entra: e, address: at.Base}
	if isCloud(at.Base) {
		s.address = entraAddress
	}
	if e.IsSet() {
		s.tokens = wire.NewTokenSource(tokenMargin, s.signIn)
	}
	return s
}

// isCloud reports whether an address is that of Azure DevOps Services.
func isCloud(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	name := strings.ToLower(u.Hostname())
	return name == "dev.azure.com" || strings.HasSuffix(name, ".visualstudio.com")
}

// attach makes a call send the credential.
func (s *signer) attach(c *wire.Call) {
	if s.tokens != nil {
		s.tokens.Attach(c)
		return
	}
	c.Authorize = func(context.Context) (string, error) { return azure.Basic(s.instance.Token), nil }
}

// access returns an access token: the personal one, or a living one of the application.
func (s *signer) access(ctx context.Context) (secret.Secret, error) {
	if s.tokens != nil {
		return s.tokens.Get(ctx)
	}
	return s.instance.Token, nil
}

// entraFields names the field that a code of Entra is about (learn.microsoft.com/entra/identity-platform/reference-error-codes).
var entraFields = []struct{ code, field string }{{"AADSTS90002", "entraTenant"}, {"AADSTS900023", "entraTenant"},
	{"AADSTS700016", "entraClient"}, {"AADSTS7000215", "token"}, {"AADSTS7000222", "token"}}

// refusal explains a refused sign-in.
func refusal(e *codehost.Error) *codehost.Error {
	field := "entraTenant, entraClient and token"
	for _, f := range entraFields {
		if strings.HasPrefix(e.Message, f.code+":") {
			field = f.field
		}
	}
	out := *e
	out.Class, out.Status = codehost.ClassForbidden, http.StatusUnauthorized
	out.Message = wire.Words("Entra refuses the application: check "+field+". It says: "+e.Message, wire.MaxMessage)
	return &out
}

// signIn asks for an access token of the application.
func (s *signer) signIn(ctx context.Context) (secret.Secret, time.Duration, error) {
	const op = "sign in"
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {s.entra.Client}, "client_secret": {s.instance.Token.Reveal()},
		"scope": {resource}}
	c := s.instance.Read(op)
	c.Key += "|sign-in"
	c.Authorize = func(context.Context) (string, error) { return "", nil }
	body, _, err := wire.Do(ctx, c, s.instance.Client, wire.Request{Method: http.MethodPost,
		Address: s.address + "/" + url.PathEscape(s.entra.Tenant) + "/oauth2/v2.0/token", Type: "application/x-www-form-urlencoded",
		Body: []byte(form.Encode())}, wire.UserAgent)
	if e, is := errors.AsType[*codehost.Error](err); is && (e.Class == codehost.ClassInvalid || e.Class == codehost.ClassForbidden) {
		return secret.Secret{}, 0, refusal(e)
	}
	if err != nil {
		return secret.Secret{}, 0, err
	}
	var got struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
	if json.Unmarshal(body, &got) != nil || got.Token == "" || strings.ContainsAny(got.Token, " \r\n\t") || got.Seconds <= 0 {
		return secret.Secret{}, 0, wire.Unexpected(c, "the answer has no access token")
	}
	return secret.New(got.Token), time.Duration(min(got.Seconds, 24*3600)) * time.Second, nil
}
