"""Texts with secrets in them, made in many forms, and ordinary lines that hold none."""

import base64
import random
import re
import string
import uuid
from collections.abc import Iterator
from functools import partial

ALNUM = string.ascii_letters + string.digits

# What {p} stands for is a password, {t} a token, {h} one in hexadecimal digits, {u} a UUID, {b} something in base64,
# {w} a word, {d} six digits, {j} a JWT, {m} twelve words, {vt} a token of Vault,
# {up} 16 capitals and digits, {s24} 24 letters and digits, {h8} 8 hexadecimal ones; ⏎ is a line's end.
SETTINGS = """
DB_PASSWORD={p}
export API_TOKEN={t}
export  AWS_SECRET_ACCESS_KEY = "{t}"
set DB_PASSWORD={p}
$env:API_KEY = "{t}"
password = {p}
password={w}
PASSWORD={w}
db.password = {p}
spring.datasource.password={p}
password: {p}
password : "{p}"
  api_key:   '{t}'
client_secret: {t}
"password": "{w}",
"password" : "{p}"
{{"api_key":"{t}","region":"eu"}}
{{"user": "anna", "pass": "{p}"}}
{{\\"password\\": \\"{p}\\"}}
'secret_key': '{t}',
os.environ['DB_PASSWORD'] = '{p}'
os.environ["API_TOKEN"]="{t}"
os.environ.setdefault("SECRET_KEY", "{t}")
os.putenv('DB_PASS', '{p}')
process.env.DB_PASSWORD = '{w}';
process.env['API_KEY'] = `{t}`;
const apiKey = "{t}";
const password: string = "{p}";
let authToken = '{t}'
var dbPassword = "{w}"
os.Setenv("API_SECRET", "{t}")
apiKey := "{t}"
Password: "{p}",
define('DB_PASSWORD', '{p}');
$password = '{w}';
'password' => '{p}',
putenv("APP_KEY={t}");
ENV['SECRET_TOKEN'] = '{t}'
:password => "{p}"
password: "{w}", host: "db"
private static final String PASSWORD = "{p}";
System.setProperty("db.password", "{p}");
ds.setPassword("{p}");
password = "{p}"  # of the test server
variable "db_password" {{ default = "{p}" }}
variable "api_token" {{⏎  type = string⏎  default = "{t}"⏎}}
master_password = "{w}"
ENV SECRET_KEY {t}
ARG NPM_TOKEN={t}
setx API_KEY {t}
set -x GITHUB_TOKEN {t}
docker build --build-arg NPM_TOKEN={t} .
- name: DB_PASSWORD⏎  value: {p}
{{"name": "API_TOKEN", "value": "{t}"}}
<password>{p}</password>
<add key="Password" value="{p}" />
<property name="password" value="{w}"/>
| password | {p} |
Server=db;Database=x;User Id=sa;Password={p};
Driver={{ODBC Driver 18}};Server=db;UID=sa;PWD={p}
AccountName=x;AccountKey={b};EndpointSuffix=core.windows.net
Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={b}
host=db user=anna password={p} dbname=x
secret_key_base: {h}
SECRET_KEY='{t}'
HEROKU_API_KEY={u}
vault_secret_id: {u}
jwt_secret="{w}-{p}"
encryption.key={b}
passphrase: "{w} {w} {w} {w}"
DB_PASS='{w} {w}'
PASSPHRASE={w} {w} {w} {w}
auth_token = {h}
token: {h}
x-api-key: {t}
X-Auth-Token: {h}
webhook_signing_key: {t}
(setenv "DB_PASSWORD" "{p}")
pymysql.connect("db", "root", "{p}", "shop")
new PDO($dsn, "anna", "{p}")
psk="{p}"
Ocp-Apim-Subscription-Key: {h}
"""
FILES = """
machine example.org login anna password {p}
machine example.org⏎  login anna⏎  password {w}
default login anna password {p}
//registry.example.org/:_authToken={t}
//npm.example.org/:_password={b}
_auth={b}
_auth = "{b}"
[pypi]⏎username = __token__⏎password = pypi-{t}{t}
{{"auths": {{"ghcr.io": {{"auth": "{b}"}}}}}}
"identitytoken": "{t}"
users:⏎- name: dev⏎  user:⏎    token: {t}⏎    client-key-data: {b}{b}
apiVersion: v1⏎kind: Secret⏎data:⏎  password: {b}
db.example.org:5432:shop:anna:{p}
[default]⏎aws_access_key_id = AKIA{up}⏎aws_secret_access_key = {t}
.example.org	TRUE	/	FALSE	1893456000	sessionid	{h}
requirepass {p}
anna:$6$saltsalt${t}
anna:$apr1$ab12cd34${t}
{{SSHA}}{b}
"private_key": "-----BEGIN PRIVATE KEY-----\\n{b}{b}\\n{b}\\n-----END PRIVATE KEY-----\\n",
-----BEGIN RSA PRIVATE KEY-----⏎{b}⏎{b}⏎-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----⏎{b}{b}⏎-----END OPENSSH PRIVATE KEY-----
-----BEGIN EC PRIVATE KEY-----⏎{b}{b}
---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----⏎{b}{b}⏎---- END SSH2 ENCRYPTED PRIVATE KEY ----
"""
COMMANDS = """
mysql -u root -p{p} shop
mysql -uroot -p'{p}' shop
mysqldump --password={p} shop
mysql --password {w} -u root
sshpass -p {p} ssh host
ssh-keygen -t ed25519 -N "{p}" -f key
aws ssm put-parameter --name /db/x --value "{p}" --type SecureString
aws secretsmanager create-secret --name x --secret-string '{p}'
az keyvault secret set --vault-name v --name n --value "{p}"
echo "{p}" > ~/.password
cryptsetup luksOpen /dev/sda x <<< "{p}"
sshpass -p'{p}' ssh host
docker login -u anna -p {p} ghcr.io
echo {p} | docker login -u anna --password-stdin
echo '{p}' | sudo -S apt update
echo "anna:{p}" | chpasswd
az login --service-principal -u anna -p {t}
twine upload -u anna -p {p} dist/*
curl -u anna:{p} https://example.org
curl --user 'anna:{w}' https://example.org
curl -H "Authorization: Bearer {t}" https://example.org
curl -H 'X-Api-Key: {h}' https://example.org
curl -b 'sid={t}' https://example.org
curl --cookie "a={p}; b={t}" https://example.org
curl --oauth2-bearer {t} https://example.org
curl "https://example.org/v1?api_key={t}&q=rye"
wget --user=anna --password={p} https://example.org
http -a anna:{p} example.org token=={t}
redis-cli -a {p} ping
redis-cli -h db --pass {p}
PGPASSWORD={p} psql -h db
psql "postgresql://anna:{p}@db/shop"
zip -P {p} a.zip a
7z x -p{p} a.7z
openssl rsa -passin pass:{p} -in key.pem
gpg --batch --passphrase {p} -d a.gpg
ldapsearch -x -D cn=admin -w {p}
smbclient //host/share -U anna%{p}
net use Z: \\\\host\\share /user:anna {p}
xfreerdp /u:anna /p:{p} /v:host
sqlcmd -S host -U sa -P {p}
sqlplus scott/{p}@db
htpasswd -b users anna {p}
npm config set //registry.example.org/:_authToken {t}
aws configure set aws_secret_access_key {t}
kubectl create secret generic db --from-literal=password={p}
gh secret set API_KEY --body "{t}"
vault login {vt}
heroku config:set API_TOKEN={t}
helm upgrade x . --set auth.password={p}
ansible-playbook x.yml -e "db_password={p}"
mosquitto_pub -u anna -P {p} -t x
snowsql --private-key-passphrase {p}
CREATE USER anna WITH PASSWORD '{p}';
ALTER USER anna IDENTIFIED BY '{w}';
IDENTIFIED BY "{p}"
git clone https://{t}@github.com/x/y
git clone https://oauth2:{t}@gitlab.com/x/y
git remote set-url origin https://anna:{p}@example.org/x.git
git clone https://{t}:x-oauth-basic@github.com/x/y
pip install --index-url https://__token__:{p}@pypi.example.org/simple x
plink -pw {p} host
keytool -storepass {p} -list
"""
ADDRESSES = """
postgres://anna:{p}@db:5432/shop
postgresql+asyncpg://anna:{w}@db/shop
mongodb+srv://anna:{p}@cluster0.example.net/?retryWrites=true
redis://:{p}@cache:6379/0
amqp://anna:{p}@queue/
mysql://root:{w}@127.0.0.1/shop
jdbc:postgresql://db/shop?user=anna&password={p}
jdbc:mysql://anna:{p}@db/shop
jdbc:oracle:thin:scott/{p}@db:1521:x
jdbc:sqlserver://db;user=sa;password={p};encrypt=true
https://{h}@o12.ingest.example.io/45
ftp://anna:{w}@example.org/
smtp://anna%40example.org:{p}@mail.example.org:587
HTTPS_PROXY=http://anna:{p}@proxy:3128
anna:{p}@proxy.example.org:3128
https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA{up}%2F20240101&X-Amz-Signature={h}{h}
https://b.s3.amazonaws.com/k?X-Amz-Security-Token={t}{t}&X-Amz-Expires=900
https://b.s3.amazonaws.com/k?AWSAccessKeyId=AKIA{up}&Signature={b}&Expires=1700000000
https://storage.googleapis.com/b/k?X-Goog-Algorithm=GOOG4&X-Goog-Signature={h}{h}
https://x.blob.core.windows.net/c/b?sv=2022-11-02&sr=b&se=2030-01-01&sp=r&sig={b}
https://d1.cloudfront.net/k?Expires=1700000000&Signature={b}&Key-Pair-Id=K2
https://example.org/cb?code={t}&state=done
https://example.org/#access_token={t}&token_type=bearer
https://example.org/reset?token={h}
https://maps.example.org/api?key={t}
https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/{s24}
https://discord.com/api/webhooks/123456789012345678/{t}{t}
https://api.telegram.org/bot123456789:AA{s33}/getMe
https://outlook.office.com/webhook/{u}@{u}/IncomingWebhook/{h}/{u}
"""
HEADERS = """
Authorization: Bearer {t}
Authorization: Basic {b}
authorization: token {h}
Authorization: {t}
Authorization: ApiKey anna:{h}
"Authorization": "Bearer {t}",
'Authorization': 'Token {h}'
headers["Authorization"] = "Bearer {t}"
Authorization: Negotiate {b}
Authorization: Digest username="anna", realm="x", nonce="{h}", response="{h}"
Authorization: OAuth oauth_consumer_key="{t}", oauth_signature="{b}"
Authorization: AWS4-HMAC-SHA256 Credential=AKIA{up}/20240101/eu/s3/aws4_request, SignedHeaders=host, Signature={h}{h}
Authorization: SharedKey account:{b}
Authorization: GoogleLogin auth={t}
Authorization: Hawk id="a", ts="1", nonce="{p}", mac="{b}"
Proxy-Authorization: Basic {b}
Authorization: Bearer {j}
Cookie: sessionid={h}; csrftoken={t}
Cookie: a={p}
Set-Cookie: sid={t}; Path=/; HttpOnly
set-cookie: auth={j}; Secure; SameSite=Lax
"Cookie": "sid={h}"
X-CSRF-Token: {t}
X-Vault-Token: {vt}
PRIVATE-TOKEN: {t}
the token {j} has expired
AUTH PLAIN {b}
"""
SERVICES = """
sk-{t}{t}
sk-proj-{t}{t}
sk-ant-api03-{t}{t}AA
sk_live_{s24}
rk_test_{s24}
whsec_{s33}
ghp_{s36}
github_pat_{s22}_{s36}
glpat-{s22}
xoxb-123456789012-123456789012-{s24}
xapp-1-A012-123-{h}{h}
AKIA{up}
ASIA{up}
AIza{s35}
ya29.{t}{t}
GOCSPX-{s28}
hf_{s34}
npm_{s36}
pypi-AgEIcHlwaS5vcmc{t}
SG.{s22}.{s43}
key-{h}
SK{h}
dop_v1_{h}{h}
shpat_{h}
dapi{h}
glsa_{s33}_{h8}
sbp_{h}{h8}
rubygems_{h}{h16}
xkeysib-{h}{h}-{s16}
gsk_{s33}{s16}
lin_api_{s40}
AGE-SECRET-KEY-1{up}{up}{up}AB
123456789:AA{s33}
hvs.{s24}
dckr_pat_{s27}
figd_{s40}
sntrys_{t}{t}
LTAI{s20}
p8e-{h}
EAACEdEose0cBA{s40}
sq0atp-{s22}
ATATT3{s40}
{j}
{t}{t}
"""
TOLD = """
the password is {p}
The password for the database is {p}.
my password is {w}.
The password is now "{w}"
password for root: {p}
Password: {w}
Passwort: {p}
Das Passwort lautet {p}.
Das Kennwort ist {w}.
Dein Passwort wurde auf {p} gesetzt.
Le mot de passe a été changé en {p}.
mot de passe : {p}
le mot de passe est {p}
contraseña: {p}
La contraseña de la base es {p}.
пароль: {p}
Пароль — {w}.
Пароль от базы: {p}
密码：{p}
密码是{p}
数据库密码为 {p}
パスワードは {p} です
パスワード：{p}
비밀번호: {p}
senha: {p}
A senha é {p}
hasło: {p}
Hasło to {p}
wachtwoord is {p}
lösenordet är {p}
la password è {p}
heslo je {p}
şifre: {p}
şifresi: {p}
pw: {p}
user/pass: anna/{p}
login: anna / {p}
use the passphrase "{w} {w} {w} {w}"
Your verification code is {d}
Your code is {d}. Don't share it.
{d} is your verification code
OTP: {d}
Ihr Bestätigungscode lautet {d}
Votre code de vérification est {d}
Su código de verificación es {d}
Код подтверждения: {d}
验证码：{d}
認証コード: {d}
PIN: {d}
recovery codes: {h8} {h8} {h8}
seed phrase: {m}
The recovery phrase is "{m}"
mnemonic = "{m}"
"""
FORMS = [
    line.replace("⏎", "\n")
    for block in (SETTINGS, FILES, COMMANDS, ADDRESSES, HEADERS, SERVICES, TOLD)
    for line in block.strip("\n").splitlines()
]


def make_secrets(count: int) -> Iterator[tuple[str, list[str]]]:
    """So many texts, each form in turn, with the secrets in them."""
    chance = random.Random(7)
    for number in range(count):
        secrets = list[str]()
        yield (re.sub(r"\{(\w+)\}", partial(_note, secrets, chance), _opened(FORMS[number % len(FORMS)])), secrets)


def _opened(form: str) -> str:
    return form.replace("{{", "{ ").replace("}}", " }")


def _note(secrets: list[str], chance: random.Random, found: re.Match[str]) -> str:
    made = _make(found[1], chance)
    secrets.append(made)
    return made


def _make(kind: str, chance: random.Random) -> str:
    def draw(letters: str, count: int) -> str:
        return "".join(chance.choices(letters, k=count))

    word = chance.choice("swordfish lighthouse barometer crowsnest lanternfish quicksand".split())
    if kind[0] == "s" or (kind[0] == "h" and kind[1:]):
        return draw(ALNUM if kind[0] == "s" else "0123456789abcdef", int(kind[1:]))
    match kind:
        case "p":
            return chance.choice(
                [f"{word[:7]}{chance.randint(1, 99)}", draw(ALNUM, 12), f"{word.title()}!{chance.randint(1, 99)}"]
            )
        case "w":
            return word
        case "t":
            return draw(ALNUM, 32)
        case "up":
            return draw(string.ascii_uppercase + "234567", 16)
        case "h":
            return draw("0123456789abcdef", 32)
        case "d":
            return draw("123456789", 6)
        case "u":
            return str(uuid.UUID(int=chance.getrandbits(128)))
        case "vt":
            return f"hvs.{draw(ALNUM, 24)}"
        case "b":
            return base64.b64encode(chance.randbytes(chance.choice([24, 36, 48]))).decode()
        case "j":
            parts = (b'{"alg":"HS256"}', b'{"sub":"anna","n":%d}' % chance.getrandbits(60), chance.randbytes(32))
            return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
        case _:
            return " ".join(
                chance.choices("abandon ability lamp orbit salon tuna velvet zebra ocean quiz rigid".split(), k=12)
            )
