package supply

// flaw is a weakness of a module that a version mends.
type flaw struct{ module, fixed, id string }

// flaws are weaknesses of modules that are linked or were, or that would be by a
// careless change of go.mod; each id can be looked up at https://pkg.go.dev/vuln and
// https://www.cve.org. They hold without a network, beside govulncheck.
var flaws = []flaw{
	{"github.com/go-jose/go-jose/v4", "v4.0.5", "CVE-2025-27144"},
	{"github.com/golang-jwt/jwt/v4", "v4.5.2", "CVE-2025-30204"},
	{"github.com/golang-jwt/jwt/v5", "v5.2.2", "CVE-2025-30204"},
	{"github.com/jackc/pgx/v5", "v5.5.4", "CVE-2024-27304"},
	{"github.com/microcosm-cc/bluemonday", "v1.0.16", "CVE-2021-42576"},
	{"github.com/nwaples/rardecode/v2", "v2.2.0", "CVE-2025-11579"},
	{"github.com/redis/go-redis/v9", "v9.7.3", "CVE-2025-29923"},
	{"github.com/sirupsen/logrus", "v1.9.3", "CVE-2025-65637"},
	{"github.com/ulikunitz/xz", "v0.5.15", "CVE-2025-58058"},
	{"golang.org/x/crypto", "v0.45.0", "CVE-2025-58181"},
	{"golang.org/x/net", "v0.45.0", "CVE-2025-47911"},
	{"golang.org/x/oauth2", "v0.27.0", "CVE-2025-22868"},
	{"golang.org/x/text", "v0.3.8", "CVE-2022-32149"},
	{"google.golang.org/protobuf", "v1.33.0", "CVE-2024-24786"},
	{"gopkg.in/yaml.v3", "v3.0.1", "CVE-2022-28948"},
}
