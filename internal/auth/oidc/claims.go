package oidc

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
)

// maxValues is the maximum number of values of one claim. A longer list is refused and not cut, because a
// cut list would silently withdraw roles (design choice; Entra ID leaves groups out of a token beyond 200
// of them).
const maxValues = 5000

// Values returns the values of a claim as text: a text itself, a number as written, true or false, or each
// of these in a list. path leads through objects, one name per step; a name may contain dots. A missing
// claim, or one of another shape, has no values. It returns Forbidden with the code sign_in_refused for a
// list that is too long, or that the provider may have cut.
func Values(claims map[string]any, path []string) ([]string, error) {
	if len(path) == 0 {
		return nil, nil
	}
	var at any = claims
	for _, name := range path {
		object, ok := at.(map[string]any)
		if !ok {
			return nil, nil
		}
		at = object[name]
	}
	list, ok := at.([]any)
	if !ok {
		list = []any{at}
	}
	if len(list) > maxValues {
		return nil, refusalError(nil, "The identity provider sent more groups than can be taken into account. An administrator must "+
			"let it send only those that matter here.")
	}
	if len(list) == oktaCut && fromOkta(claims) {
		return nil, refusalError(nil, "The identity provider sent exactly 100 groups, the length at which Okta cuts a list without a "+
			"sign. Nothing was changed. An administrator must let it send only those that matter here.")
	}
	var out []string
	for _, v := range list {
		if text, ok := scalarText(v); ok {
			out = append(out, text)
		}
	}
	return out, nil
}

// oktaCut is the length at which Okta may cut a list of groups without a sign. Okta's pages differ by flow
// (support.okta.com, "The groups claim matched too many groups" and "Exceed the 100 groups limitation";
// functions such as Groups.startsWith return 100 at most), and other products report it
// (developer.hashicorp.com/vault/docs/auth/jwt/oidc-providers/okta). A list longer than that has not been cut.
const oktaCut = 100

// fromOkta reports whether claims come from Okta. It recognises Okta's domains, and behind a customer's own
// domain the form of its ID tokens (ver is 1, jti begins with "ID.", as in the decoded token in
// developer.okta.com/docs/guides/customize-tokens-static/use-static-group-allowlist-org-as).
func fromOkta(claims map[string]any) bool {
	issuer, _ := claims["iss"].(string)
	if u, err := url.Parse(issuer); err == nil {
		for _, domain := range []string{".okta.com", ".oktapreview.com", ".okta-emea.com", ".okta-gov.com", ".okta.mil"} {
			if strings.HasSuffix(strings.ToLower(u.Hostname()), domain) {
				return true
			}
		}
	}
	version, _ := claims["ver"].(json.Number)
	id, _ := claims["jti"].(string)
	return version == "1" && strings.HasPrefix(id, "ID.")
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// addClaims adds the claims of userinfo that an ID token lacks. Claims that either marks as left out stay
// marked, because a missing claim does not mean an empty one. _claim_names marks them for its own answer;
// both answers may use different names (OpenID Connect Core 1.0, section 5.6.2), so the marks are joined.
// If either answer sets hasgroups, it counts.
func addClaims(claims, more map[string]any) {
	for name, value := range more {
		before, there := claims[name]
		switch {
		case !there:
			claims[name] = value
		case name == "_claim_names":
			names, isObject := before.(map[string]any)
			others, alsoObject := value.(map[string]any)
			if !isObject || !alsoObject {
				claims[name] = nil // [CheckOverage] refuses unreadable values
				continue
			}
			joined := maps.Clone(others)
			maps.Copy(joined, names)
			claims[name] = joined
		case name == "hasgroups" && CheckOverage(map[string]any{name: before}, []string{groups}) == nil:
			claims[name] = value
		}
	}
}

// groups is the claim that hasgroups refers to.
const groups = "groups"

// CheckOverage refuses claims if the provider left out some of the named ones because they were too many:
// roles computed from them would be wrong, because a missing claim does not mean an empty one. names are
// the first names of paths. The signs are _claim_names (OpenID Connect Core 1.0, section 5.6.2), and for
// groups hasgroups (https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference).
func CheckOverage(claims map[string]any, names []string) error {
	elsewhere, isObject := claims["_claim_names"].(map[string]any)
	if _, there := claims["_claim_names"]; there && !isObject {
		return overageError()
	}
	for _, name := range names {
		if _, there := elsewhere[name]; there {
			return overageError()
		}
	}
	if slices.Contains(names, groups) && hasGroups(claims["hasgroups"]) {
		return overageError()
	}
	return nil
}

// hasGroups decodes hasgroups. An unreadable value counts as true.
func hasGroups(v any) bool {
	switch has := v.(type) {
	case nil:
		return false
	case bool:
		return has
	case string:
		return !strings.EqualFold(has, "false")
	}
	return true
}

func overageError() error {
	return &errs.Error{Kind: errs.Forbidden, Code: "sign_in_refused",
		Message: "The identity provider left groups out, because they are too many. Nothing was changed. An administrator must let it " +
			"send only groups that are assigned to this application."}
}
