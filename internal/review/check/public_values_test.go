package check

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// randomBytes, random and randomHex look like what generators of secrets make.
func randomBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 11))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.IntN(256))
	}
	return out
}

func random(seed uint64, n int) string {
	s := base64.StdEncoding.EncodeToString(randomBytes(seed, n))
	return strings.NewReplacer("+", "k", "/", "w").Replace(s)[:n]
}

func randomHex(seed uint64, n int) string { return hex.EncodeToString(randomBytes(seed, n)) }

func random64(seed uint64, n int) string {
	return base64.StdEncoding.EncodeToString(randomBytes(seed, n))
}

// signedToken signs a JSON Web Token.
func signedToken(claims, secret string) string {
	enc := base64.RawURLEncoding.EncodeToString
	head := enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(claims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(head))
	return head + "." + enc(mac.Sum(nil))
}

const sampleClaims = `{"sub":"1234567890","name":"John Doe","iat":1516239022}`

func sealedSecret(value string) string {
	return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec:\n  encryptedData:\n    dbPassword: " + value + "\n"
}

// kubeSecret is a Secret of Kubernetes with one value.
func kubeSecret(key, value string) string {
	return "apiVersion: v1\nkind: Secret\ndata:\n  " + key + ": " + base64.StdEncoding.EncodeToString([]byte(value)) + "\n"
}

// A public value is not a secret.
func TestPublicValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, text string }{
		"sealed secret":              {"deploy/sealed.yml", sealedSecret("AgB" + random64(1, 600))},
		"sealed secret of 2048 bits": {"deploy/sealed.yml", sealedSecret("AQA" + random64(2, 270))},
		"ciphertext of AWS KMS":      {"config.py", "db_password = 'AQICAHh" + random64(3, 120) + "'\n"},
		"ciphertext of GCP KMS":      {"config.yaml", "apiToken: CiQA" + random64(4, 90) + "\n"},
		"Fernet":                     {"app.py", "TOKEN = \"gAAAAABk" + strings.NewReplacer("+", "-", "/", "_").Replace(random64(5, 81)) + "\"\n"},
		"openssl":                    {"app.env", "API_SECRET=" + base64.StdEncoding.EncodeToString(append([]byte("Salted__"), randomBytes(6, 48)...)) + "\n"},
		"age in base64":              {"app.env", "API_SECRET=" + base64.StdEncoding.EncodeToString(append([]byte("age-encryption.org/v1\n-> X25519 "), randomBytes(7, 90)...)) + "\n"},
		"named ciphertext":           {"app.json", `{"encryptedAuthToken": "` + random64(8, 96) + "\"}\n"},
		"sops":                       {"s.yaml", "password: ENC[AES256_GCM,data:" + random64(9, 30) + ",iv:" + random64(10, 32) + ",tag:" + random64(11, 16) + ",type:str]\n"},
		"secret of sops":             {"s.yaml", "kind: Secret\ndata:\n    a: ENC[AES256_GCM,data:" + random64(9, 6) + ",type:str]\nsops:\n    kms: []\n    enc: AQICAHh" + random64(12, 120) + "\n"},
		"vault of Ansible":           {"group_vars/all.yml", "api_token: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  " + randomHex(13, 40) + "\n"},
		"message of PGP":             {"t.yaml", "token: |\n  -----BEGIN PGP MESSAGE-----\n\n  " + random64(14, 48) + "\n  -----END PGP MESSAGE-----\n"},
		"recipient of age":           {".sops.yaml", "  age_key: age1" + strings.Repeat("qz5p7ry9", 7) + "ac\n"},
		"SSH public key":             {"infra.tf", "ssh_key = \"AAAAC3NzaC1lZDI1NTE5AAAAI" + random64(15, 32) + "\"\n"},
		"checksums of pods":          {"ios/Podfile.lock", "SPEC CHECKSUMS:\n  GoogleAuth: " + randomHex(16, 20) + "\n  LaunchDarkly: " + randomHex(17, 20) + "\n"},
		"checksums of another tool":  {"deps.lock", "  api-token: " + randomHex(18, 32) + "\n"},
		"fingerprint":                {"a.yaml", "signingKeyFingerprint: " + strings.ToUpper(randomHex(19, 20)) + "\n"},
		"hash of a token":            {"a.py", "token_sha256 = '" + randomHex(20, 32) + "'\n"},
		"integrity":                  {"a.json", `{"authIntegrity": "sha384-` + random64(21, 48) + "\"}\n"},
		"name in a vault":            {"Jenkinsfile", "def s = [vaultKey: 'team-api-12-client-secret']\n"},
		"path in a vault":            {"a.yaml", "secretPath: prod/payments/db-token2\n"},
		"name of a variable":         {"a.go", "package a\n\nconst tokenEnv, apiKey = 1, \"BILLING_API_TOKEN_2\"\n"},
		"contract":                   {"src/a.ts", "const TOKEN = \"0x" + randomHex(22, 20) + "\";\n"},
		"mint":                       {"src/a.ts", "export const TOKEN_MINT = \"" + strings.NewReplacer("0", "1", "l", "m", "I", "J", "O", "P").Replace(random(23, 44)) + "\";\n"},
		"role of a contract":         {"src/a.ts", "const ACCESS_ROLE = \"0x" + randomHex(24, 32) + "\";\n"},
		"publishable key":            {"src/a.ts", "const apiKey = \"pk_live_" + random(25, 24) + "\";\n"},
		"cursor of a page":           {"test/fixtures/list.json", `{"nextPageToken": "` + random64(26, 24) + "\"}\n"},
		"cursor by another name":     {"testdata/list.json", `{"LastEvaluatedKey": "` + random64(27, 24) + "\"}\n"},
		"sample token":               {"README.md", "`" + signedToken(sampleClaims, "your-256-bit-"+"secret") + "`\n"},
		"sample token in code":       {"src/a.ts", "const t = \"" + signedToken(`{"sub":"1234567890","name":"John Doe","admin":true,"iat":1516239022}`, "a-string-secret-at-least-256-bits-long") + "\";\n"},
		"sample key of AWS":          {"a.py", "k = 'AKIA" + "IOSFODNN7EXAMPLE'\n"},
		"sample key of Stripe":       {"a.py", "k = 'sk_" + "test_4eC39HqLyjWDarjtT1zdp7dc'\n"},
		"emulator of Azure":          {"a.cs", "var c = \"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/" + "KBHBeksoGMGw==\";\n"},
		"key hash of Android":        {"a.py", "ALLOWED_TOKEN_ORIGIN = \"android:apk-key-hash:" + strings.NewReplacer("+", "-", "/", "_").Replace(random64(63, 32)[:43]) + "\"\n"},
		"public key token of .NET":   {"a.config", "<add type=\"X, Y, Version=4.0.0.0, Culture=neutral, PublicKeyToken=" + randomHex(64, 8) + "\" />\n"},
		"public key token, alone":    {"a.json", `{"publicKeyToken": "` + randomHex(64, 8) + "\"}\n"},
		"name of a model":            {"a.py", "model_token = \"meta-llama/Llama-3.1-8B-Instruct\"\n"},
		"name of another model":      {"a.py", "tokenizer_key = \"mistralai/Mixtral-8x7B-Instruct-v0.1\"\n"},
		"name of a package":          {"a.yaml", "auth_token: org.acme/auth-service-2.4.1\n"},
		"name of a secret":           {"a.py", "secret_id = \"Prod-Db_Secret.v1\"\n"},
		"identifier of a client":     {"a.ts", "const auth0ClientId = \"" + random(65, 32) + "\";\n"},
		"identifier of a key":        {"a.ts", "const api_key_id = \"" + random(66, 20) + "\";\n"},
		"hash of a password":         {"a.json", `{"hashed_password": "$` + "argon2id$v=19$m=65536,t=3,p=4$" + random(67, 22) + "$" + random(68, 43) + "\"}\n"},
		"hash of bcrypt":             {"a.yml", "password: $2b$12$" + random(69, 53) + "\n"},
		"hash of Django":             {"a.json", `{"password": "pbkdf2_sha256$600000$` + random(70, 22) + "$" + random64(71, 32) + "\"}\n"},
		"hash of crypt":              {"a.yml", "user_password: \"$6$" + random(72, 16) + "$" + random(73, 86) + "\"\n"},
		"hash of PostgreSQL":         {"a.sql", "CREATE ROLE bob PASSWORD 'SCRAM-SHA-256$4096:" + random64(74, 16) + "$" + random64(75, 32) + ":" + random64(76, 32) + "';\n"},
		"hash of MySQL":              {"a.sql", "CREATE USER bob IDENTIFIED BY PASSWORD '*" + strings.ToUpper(randomHex(77, 20)) + "';\n"},
		"outline of a key":           {"a.go", "package a\n\nconst a, b = \"-----BEGIN PRIVATE " + "KEY-----\\n-----END PRIVATE " + "KEY-----\", \"-----BEGIN PUBLIC KEY-----\"\n\nvar pem = \"-----BEGIN RSA PRIVATE " + "KEY-----\"\n"},
		"certificates of Kubernetes": {"s.yaml", kubeSecret("ca.crt", "-----BEGIN CERTIFICATE-----\n"+random64(78, 300)+"\n-----END CERTIFICATE-----\n") + "  tls.crt: " + random64(79, 90) + "\n"},
		"account of Kubernetes":      {"s.yaml", kubeSecret("username", "shop-admin7.Prod")},
		"host of Kubernetes":         {"s.yaml", kubeSecret("db-host", "db-7.shop.io:5432")},
		"words of Kubernetes":        {"s.yaml", kubeSecret("mode", "production-cluster")},
		"settings of Kubernetes":     {"s.yaml", kubeSecret("app.properties", "mode=production\nuser=shop\nlevel=debug\n")},
		"webhook of documentation":   {"a.md", "https://hooks.slack." + "com/services/T00000000/B00000000/" + strings.Repeat("X", 24) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, tt.path, "", tt.text)); got != "" {
				t.Error(got)
			}
		})
	}
}

// The real secret beside each exception is still found.
func TestSecretsBesidePublicValues(t *testing.T) {
	t.Parallel()
	const generic, high = "gitleaks/generic-api-key", "/high"
	for name, tt := range map[string]struct{ path, text, rule, severity string }{
		"exact key in a sealed secret":           {"s.yml", sealedSecret(awsKey()), "gitleaks/aws-access-token", "/critical"},
		"exact token under a named value":        {"a.json", `{"encryptedToken": "` + ghToken() + "\"}\n", "gitleaks/github-pat", "/critical"},
		"exact token in a fixture":               {"test/fixtures/a.json", `{"cursorKey": "` + ghToken() + "\"}\n", "gitleaks/github-pat", "/critical"},
		"exact token in checksums":               {"Podfile.lock", "SPEC CHECKSUMS:\n  Auth: " + ghToken() + "\n", "gitleaks/github-pat", "/critical"},
		"short value in a sealed secret":         {"s.yml", sealedSecret(random(31, 40)), generic, high},
		"short value with the name":              {"a.json", `{"encryptedAuthToken": "` + random(33, 40) + "\"}\n", generic, high},
		"key that signs":                         {"a.py", "hash_secret = '" + randomHex(34, 32) + "'\n", generic, high},
		"hexadecimal key":                        {"a.py", "api_key = '" + randomHex(35, 16) + "'\n", generic, high},
		"key that is not a digest, in checksums": {"Podfile.lock", "  AuthToken: " + random(36, 40) + "\n", generic, high},
		"value under the name of a name":         {"Jenkinsfile", "def s = [vaultKey: '" + random(37, 32) + "']\n", generic, high},
		"password of words":                      {"a.py", "db_password = 'krill-vexed-jumbo-71'\n", generic, ""},
		"private key of a chain":                 {"src/a.ts", "const PRIVATE_KEY = \"0x" + randomHex(38, 32) + "\";\n", generic, high},
		"private key by a name that ends so":     {"src/a.ts", "const DEPLOYER_SECRET_HASH_KEY = \"0x" + randomHex(39, 32) + "\";\n", generic, high},
		"cursor in code":                         {"src/a.ts", "const cursorKey = \"" + random(40, 32) + "\";\n", generic, high},
		"secret key of a shop":                   {"src/a.ts", "const k = \"sk_" + "live_" + random(41, 24) + "\";\n", "gitleaks/stripe-access-token", "/critical"},
		"token with the sample's claims":         {"README.md", "`" + signedToken(sampleClaims, random(42, 40)) + "`\n", "gitleaks/jwt", "/critical"},
		"token with the sample's secret":         {"README.md", "`" + signedToken(`{"sub":"77","name":"Ana","iat":1516239022}`, "your-256-bit-"+"secret") + "`\n", "gitleaks/jwt", "/critical"},
		"key like the sample of AWS":             {"a.py", "k = '" + awsKey() + "' # AKIA" + "IOSFODNN7EXAMPLE\n", "gitleaks/aws-access-token", "/critical"},
		"key like the sample of Stripe":          {"a.py", "k = 'sk_" + "test_" + random(43, 24) + "'\n", "gitleaks/stripe-access-token", "/critical"},
		"private key with a word that allows":    {"a.pem", strings.Replace(pemKey(), "KEY-----\n", "KEY-----\nComment: false abcdefghijklmnopqrstuvwxyz\n", 1) + "\n", "gitleaks/private-key", "/critical"},
		"password of Kubernetes":                 {"s.yaml", kubeSecret("db-password", "krillvexed"), "gitleaks/kubernetes-secret-yaml", "/critical"},
		"mixed value of Kubernetes":              {"s.yaml", kubeSecret("value", chosen()), "gitleaks/kubernetes-secret-yaml", "/critical"},
		"settings of Kubernetes":                 {"s.yaml", kubeSecret("app.properties", "mode=production\npassword="+chosen()+"\n"), "gitleaks/kubernetes-secret-yaml", "/critical"},
		"private key of Kubernetes":              {"s.yaml", kubeSecret("tls.crt", "-----BEGIN RSA PRIVATE "+"KEY-----\n"+random64(78, 300)+"\n"), "gitleaks/kubernetes-secret-yaml", "/critical"},
		"address of Kubernetes":                  {"s.yaml", kubeSecret("url", "postgres://shop:"+generated()+"@db.shop.io/x"), "gitleaks/kubernetes-secret-yaml", "/critical"},
		"secret of a client":                     {"a.ts", "const auth0ClientSecret = \"" + random(65, 32) + "\";\n", generic, high},
		"identifier that is a secret":            {"a.py", "secret_id = \"" + random(65, 32) + "\"\n", generic, high},
		"password like a hash":                   {"a.yml", "password: $2Kr1ll-vexed-3d\n", "assay/password", high},
		"key behind an outline":                  {"a.txt", "-----BEGIN PRIVATE " + "KEY-----\n-----END PRIVATE " + "KEY-----\n" + pemKey() + "\n", "gitleaks/private-key", "/critical"},
		"plain Kubernetes secret":                {"s.yaml", "kind: Secret\ndata:\n  a: " + random64(44, 30) + "\n", "gitleaks/kubernetes-secret-yaml", "/critical"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := summary(run(t, tt.path, "", tt.text))
			if !strings.Contains(got, tt.rule) || !strings.Contains(got, tt.severity) {
				t.Errorf("%q, want %s%s", got, tt.rule, tt.severity)
			}
		})
	}
}

// A value that only its name makes a secret does not fail the check where samples are usual, or below a
// minimum entropy. The summary mentions it.
func TestDoubtfulSecrets(t *testing.T) {
	t.Parallel()
	for path, value := range map[string]string{
		"tests/login_test.py": random(51, 32), "docs/setup.md": random(52, 32), "examples/app/config.yaml": random(53, 32), ".env.example": random(54, 32),
		"spec/fixtures/a.json": random(55, 32), "src/a.py": "q7w7x2v2m4m9zkpb",
	} {
		res := run(t, path, "", fmt.Sprintf("api_key = \"%s\"\n", value))
		if got := summary(res); got != "gitleaks/generic-api-key@1-1/line/high" {
			t.Errorf("%s: %q", path, got)
			continue
		}
		if f := res.Findings[0]; f.Secret() || !f.Doubtful || f.Origin != domain.OriginSecret || strings.Contains(f.Anchor.Quote, value) {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

// A line of a sealed secret that is changed alone is judged by its whole file.
func TestSealedLineBelowTheFold(t *testing.T) {
	t.Parallel()
	before := sealedSecret("AgB"+random64(61, 600)) + strings.Repeat("    word: x\n", 30)
	after := before + "    lateToken: AgB" + random64(62, 600) + "\n"
	if got := summary(run(t, "s.yml", before, after)); got != "" {
		t.Error(got)
	}
	c := candidate{text: "dbPassword: ", whole: func() string { return "kind: Secret\n" }}
	if c.sealed("dbPassword", "AgB"+random64(62, 600)) {
		t.Error("the form alone made a ciphertext of it")
	}
}
