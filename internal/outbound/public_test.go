package outbound

import "testing"

func TestCheckPublicForm(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		"https://models.example.com/v1": true, "https://models.example.com:443/v1": true, "https://8.8.8.8/v1": true, "https://[2606:4700::1111]/v1": true,
		"https://models.example.com:8443": false, "http://models.example.com/v1": false, "http://localhost:11434/v1": false, "https://localhost": false,
		"https://a.localhost": false, "https://LOCALHOST./": false, "https://10.1.2.3": false, "https://[fd00::1]/v1": false, "https://127.0.0.1": false,
		"https://169.254.169.254/latest": false, "https://[fe80::1%25eth0]/": false, "https://0x7f.1/": false, "https://127.1/": false,
		"https://user:pass@example.com/": false, "ftp://example.com/": false, "https:///v1": false, "https://exa mple.com/": false,
		"https://example.com:99999/": false, "https://[::ffff:169.254.169.254]/": false, "https://example.com/#a": false,
	} {
		if err := CheckPublicForm(raw); (err == nil) != ok {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
