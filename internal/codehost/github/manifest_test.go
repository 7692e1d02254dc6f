package github

import "testing"

// FuzzParseRegistered parses arbitrary answers to a manifest conversion.
func FuzzParseRegistered(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", `{"id":1,"pem":"x","client_id":"c","client_secret":"s","webhook_secret":null}`, `{"id":-1,"owner":[],"permissions":{"a":1}}`, `{"id":1,"pem":"x","client_id":"c","client_secret":"s","webhook_secret":"w"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := parseRegistered(raw)
		if err == nil && (r.ID == "" || !r.WebhookSecret.IsSet() || !r.ClientSecret.IsSet() || CheckPrivateKey(r.PrivateKey) != nil) {
			t.Errorf("an incomplete app: %+v", r.App)
		}
	})
}
