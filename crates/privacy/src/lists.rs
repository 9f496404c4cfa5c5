//! The words themselves, folded, by what they say. See [`words`](crate::words).

use crate::words::Cue;

pub(crate) const PHONE: &str = "\
contactnumber contactno contactphone phone phones telephone telephones tel tels mobile mobiles cell cellphone cellular fax telefax phonenumber \
telephonenumber mobilenumber mobilephone cellnumber faxnumber homephone workphone msisdn whatsapp sms landline hotline \
\
telefon telefonnummer telefonnr handy handynummer handynr mobil mobilnummer mobiltelefon mobilfunk rufnummer \
ruckrufnummer festnetz faxnummer durchwahl \
portable numerodetelephone \
telefono telefonos movil celular telef tlf tfno \
cellulare recapito \
telefoon telefoonnummer mobiel mobieltje \
komorka komorkowy kom telefonu \
telemovel telefone tlm \
verde numeroverde mynumber mijnnummer meinenummer minumero monnumero mionumero meunumero mittnummer recapitotelefonico \
tfnnr telnr telefonnumret mobilen puhelin puh matkapuhelin tlfnr tlf mob hp gsm sdt dienthoai dthoai telepon tilifon telefonszam mobilszam broj \
fon cep ceptelefonu celphone simu";

/// Words of calling: a number behind them in a sentence is a telephone's, a field of that name is not.
pub(crate) const CALL: &str = "\
call calls called calling dial ring rang text txt callback ruckruf anruf anrufen \
angerufen telephoner appelez appeler appelle joindre joignable llamar llamame llame llamen chiamare chiamami \
chiama chiamate chiami bel bellen gebeld chiamatemi llamadme llameme ligue-me zavolejte hivjon ara arayin sunati zvonite nazovite zadzwon dzwonic ligue ligar contactar zap ringa";

pub(crate) const CARD: &str = "\
card cards cc ccn creditcard debitcard cardnumber cardno ccnumber ccnum creditcardnumber paymentcard visa mastercard amex \
maestro discover kreditkarte kreditkartennummer kartennummer karte carte cartebancaire numerodecarte tarjeta \
numerodetarjeta carta cartadicredito numerocarta creditcardnr kaart karta karty numerkarty cartao numerodocartao kort \
kortnummer pan";

pub(crate) const NATIONAL: &str = "\
ssn ssns socialsecurity socialsecuritynumber social nino nationalinsurance nationalinsurancenumber ni nhs nhsnumber itin \
nationalid nationalidnumber nationalidentity idcard identitycard identitynumber passport passportnumber passportno \
passports personalid taxid taxpayer tin sin sinnumber aadhaar aadhar pan pannumber uidai cpf rg curp cuil dni nie nif \
rut cedula steuerid steueridnr steueridentifikationsnummer identifikationsnummer idnr sozialversicherungsnummer svnr \
svnummer ahv ahvnummer ahvnr reisepass reisepassnummer personalausweis personalausweisnummer ausweisnummer \
ausweis nir securitesociale numerosecuritesociale numerodesecuritesociale numsecu insee passeport codicefiscale cf bsn \
burgerservicenummer sofinummer rijksregisternummer rijksregister pesel personnummer samordningsnummer fodselsnummer cpr \
cprnummer cprnr personnumer henkilotunnus hetu kimlik tckimlik tckn rodnecislo pps ppsn tfn medicare cnp egn \
kennitala contribuinte pasaporte passaporto paspoort paszport paspoortnummer idkort seguridadsocial nss taxfilenumber pesel oib jmbg emso egn isikukood asmenskodas amka afm codnumericpersonal numericpersonal nric fin nricfin ppsnumber \
thaiid teudatzehut tajszam taj szemelyiszam szemelyiigazolvany rodnecislo matricula said southafricanid taxfile hkid mykad nik ktp cccd cmnd inn snils \
personalnumber personalidentitynumber citizenid bvn nin curp rfc ine";

pub(crate) const IP: &str = "\
ip ips ipaddress ipaddr ipv ipadresse ipadress clientip remoteip remoteaddr remoteaddress sourceip srcip destip dstip \
hostip xforwardedfor forwarded xrealip addr client host server dns resolver nameserver ping peer from address inet \
adresse direccion indirizzo adres";

pub(crate) const IBAN: &str =
    "iban ibannumber ibans bankaccount kontonummer konto rekening cuenta compte conto";

pub(crate) const ID: &str = "\
id ids uid guid uuid order orders ordernumber orderno orderid invoice invoices ticket tickets sku skus isbn ean gtin upc asin ref \
refs reference references tracking shipment parcel serial serialnumber part partnumber partno parts model item items article articles product products \
batch lot case contract policy drawing epoch timestamp ts created updated range offset port \
page room table code codes hash commit sha md build revision rev issue bug pr pull error errno status \
confirmation booking reservation amount amounts price prices total totals sum count counts quantity qty size \
bytes duration ms seconds balance cost fee tax vat population line lines row rows col column token nonce key checksum \
serials supplier vendor drawingno document documentnumber zip zipcode postcode postal lat latitude lon lng \
longitude coordinates test \
bestellung bestellungen auftrag rechnung rechnungsnummer artikel artikelnummer artikelnr vertrag kundennummer \
kundennr seriennummer sendung sendungsnummer lager palette betrag preis vorgang aktenzeichen beleg plz \
commande facture dossier colis article montant prix siret siren tva \
pedido factura expediente referencia importe precio articulo envio codigo codigopostal cnpj cif albaran \
ordine fattura articolo prezzo piva pratica spedizione importo codice rea \
bestelling bestelnummer factuur artikelnummer prijs polis kvk btw \
zamowienie zamowienia faktura faktury cena nip regon nrref kwote kwota zlecenie \
encomenda fatura protocolo preco nota valor \
ordernummer orgnr artikelnr pris bestallning fakturanummer org";

pub(crate) const VERSION: &str = "\
version versions ver v release releases firmware build chapter section sections kapitel abschnitt driver patch upgrade upgraded upgradefrom updatefrom downgradefrom upgradedfrom updatedfrom migratefrom rollbackfrom \
versione versie wersja versao versjon versionen versio kernel sdk runtime rfc oid package";

pub(crate) const EMAIL: &str = "\
email mail emails emailaddress mailaddress emailadresse mailadresse courriel correo correoelectronico epost eposta \
posta postaelettronica emailaddr adresseemail adressemail kontaktemail";

pub(crate) const ADDRESS: &str = "\
address addresses streetaddress homeaddress postaladdress mailingaddress billingaddress shippingaddress deliveryaddress \
addressline addr fulladdress adresse adressen anschrift lieferadresse rechnungsadresse postanschrift wohnort direccion \
domicilio indirizzo adres woonadres bezorgadres endereco morada adress osoite adresa residence alamat cim lakcim deliveraddress diachi dia-chi bostadsadress besoksadress \
shippingaddr billingaddr szallitasicim domicilio direcciondeenvio postadresse leveringsadresse";

pub(crate) const STREET: &str = "\
street streetname strasse rue voie calle straat straatnaam ulica rua gata gatuadress gateadresse vej addressline";

pub(crate) const NAME: &str = "\
firstname lastname fullname givenname familyname surname middlename maidenname forename secondname preferredname legalname \
fname lname realname personname namefirst namelast birthname \
vorname nachname familienname vollername geburtsname zuname vorundnachname \
prenom prenoms nomdefamille nomcomplet nometprenom nomprenom \
apellido apellidos nombrecompleto primerapellido segundoapellido nombreyapellidos primernombre \
cognome nomecompleto nomeecognome nomecognome \
voornaam achternaam volledigenaam tussenvoegsel familienaam \
imie nazwisko imieinazwisko imienazwisko \
sobrenome apelido nomecompleto primeironome ultimonome \
fornamn efternamn fullstandigtnamn fornavn etternavn efternavn etunimi sukunimi \
jmeno prijmeni soyad soyadi adsoyad adi isim isimsoyisim ad nama namalengkap hoten hovaten keresztnev vezeteknev teljesnev \
nume prenume numecomplet ime prezime imeprezime imeiprezime perekonnanimi eesnimi vardas pavarde vards uzvards nimeni";

pub(crate) const ROLE: &str = "\
nurse therapist lawyer attorney coach trainer instructor professor counselor judge plaintiff defendant victim suspect insured \
policyholder debtor creditor donor volunteer resident occupant parent guardian mother father child husband wife organizer \
contributor collaborator coauthor presenter interviewer interviewee respondent investor founder shareholder \
director directora directeur directrice direttore direttrice dyrektor leiter leiterin headteacher principal \
moderator salesrep accountmanager technician inspector clerk cashier trustee executor heir \
antragsteller antragstellerin versicherte versicherten versicherter arbeitnehmer arbeitnehmerin fahrer fahrerin halter \
schuldner zeuge bewerber bewerberin studentin kaufer verkaufer besitzer eigentumer betreuer anwalt notar geschaftsfuhrer \
geschaftsfuhrerin vorgesetzter mutter vater ehepartner zahler \
demandeur proprietaire conducteur medecin eleve enseignant candidat acheteur vendeur employe gerant avocat abonne usager \
conjoint adherent conductor propietario medico alumno profesor candidato comprador vendedor asegurado jefe encargado \
trabajador trabajadora abogado huesped pasajero socio richiedente conducente proprietario studente acquirente venditore \
assicurato inquilino passeggero ospite aanvrager bestuurder eigenaar arts leerling kandidaat koper verkoper verzekerde \
passagier werknemer wnioskodawca kierowca lekarz uczen kandydat kupujacy sprzedawca ubezpieczony pasazer najemca motorista \
aluno professor segurado passageiro hospede colaborador sokande forare agare lakare elev kopare saljare hyresgast forfattare \
signed signer signee signatory unterschrift unterzeichner unterzeichnet signe signataire firmante firmado firmatario firmato \
ondertekend ondertekenaar podpis podpisano assinado assinante underskrift undertecknad allekirjoitus \
customer client contact author assignee owner reporter patient employee manager recipient sender user guest passenger \
attendee member cardholder beneficiary tenant landlord accountholder holder applicant candidate student teacher doctor \
physician subscriber buyer seller payee payer consignee driver participant speaker reviewer approver requester requestor \
creator editor lead contactperson primarycontact person signatory witness caller attn attention maintainer \
committer assigned assignedto createdby updatedby approvedby signedby requestedby modifiedby reportedby submittedby \
reviewedby author supervisor colleague spouse nextofkin emergencycontact people employees \
kunde kundin patientin ansprechpartner ansprechpartnerin mitarbeiter mitarbeiterin empfanger empfangerin absender \
absenderin kontoinhaber kontoinhaberin autor autorin verfasser besteller kontakt sachbearbeiter sachbearbeiterin inhaber \
karteninhaber versicherter bearbeiter mieter vermieter schuler lehrer arzt gast teilnehmer zustandig \
cliente destinataire titulaire auteur expediteur beneficiaire assure salarie locataire interlocuteur \
paciente destinatario titular contacto autora empleado empleada remitente responsable usuario solicitante inquilino \
paziente intestatario referente mittente autore dipendente titolare utente responsabile beneficiario \
klant contactpersoon ontvanger afzender patient medewerker rekeninghouder auteur huurder \
klient klientka pacjent pacjentka odbiorca nadawca pracownik wlasciciel posiadacz zleceniodawca \
clienta funcionario remetente utilizador responsavel contato beneficiaria \
kund kontaktperson mottagare avsandare anstalld kontoinnehavare \
asiakas kunden medarbejder modtager pasient mottaker billing shipping deliverto billto shipto";

pub(crate) const BARE_NAME: &str = "\
name names displayname nom nombre nome naam namn navn nimi nazwa nev naziv";

pub(crate) const PERSON: &str = "\
dob birthdate dateofbirth birthday birth born birthplace gender sex age nationality maritalstatus salary jobtitle job \
occupation username loginname lastlogin lastloginat lastloginip logincount hiredate employeeid department \
geburtsdatum geburtstag geb geschlecht staatsangehorigkeit alter beruf gehalt abteilung \
naissance datedenaissance sexe nationalite fechadenacimiento nacimiento sexo nacionalidad edad \
datadinascita nascita sesso eta cittadinanza geboortedatum geslacht leeftijd \
dataurodzenia plec wiek datadenascimento nascimento idade fodelsedatum kon alder";

pub(crate) const THING: &str = "\
price prices sku stock qty quantity size path mime mimetype format width height weight color colour population lat latitude \
lon lng longitude continent version namespace replicas rating cuisine openinghours isbn ean upc asin category manufacturer \
instock currency schema parameters columns dimensions \
preis farbe artikel artikelnummer lieferzeit gewicht grosse lager material kategorie verfugbar bestand marke \
prix reference ref poids couleur categorie taille marque \
precio referencia unidades peso categoria talla marca \
prezzo codice taglia magazzino \
prijs voorraad kleur maat merk \
cena kod kategoria rozmiar marka \
preco estoque tamanho \
pris lager farg storlek varumarke";

/// Under these stand objects whose name is not a person's, even with a telephone number beside it.
pub(crate) const GROUP: &str = "\
company organization organisation employer vendor supplier merchant brand bank city country place venue hotel restaurant \
store shop warehouse office branch device sensor service server host plugin package project team tool product item file \
folder repository repo playlist album song track movie film event table column image category school university \
firma unternehmen stadt produkt entreprise societe produit ville empresa producto ciudad azienda prodotto citta bedrijf \
miasto produto loja foretag stad ristorante negozio albergo restaurante tienda magasin laden geschaft winkel sklep butik \
dataset library network channel campaign model location site facility plant building room station agency standort werk filiale \
niederlassung lager gebaude agence sucursal sede oficina vestiging oddzial filial";

/// Words of companies, products, programs and places.
pub(crate) const NOT_PEOPLE: &str = "\
gmbh ag kg ohg ug ev eg inc corp corporation company co ltd limited llc llp plc sa sarl sas srl spa bv nv ab oy oyj aps asa as \
sl slu sc spzoo zoo lda ltda eirl pty kk group holding holdings industries industry enterprises enterprise partners \
associates ventures capital bank insurance trust foundation fund society association institute institut university universitat \
universite universidad college school schule akademie academy hospital clinic klinik praxis pharmacy apotheke \
museum library theater theatre restaurant cafe coffee pizza pizzeria bakery hotel resort spa gym fitness \
store shop markt supermarket mall center centre zentrum studio studios agency agentur solutions services service \
systems software technologies technology tech digital media labs lab works logistics consulting international global \
team teams support department dept abteilung office buro helpdesk sales marketing finance hr operations ops \
engineering platform security billing admin administrator system bot robot automation unknown anonymous none null \
undefined test tester demo example sample placeholder guest root nobody everyone user users customer client \
account service payment payments gateway api server cluster node worker queue database cache app application web website \
internet explorer mozilla firefox chrome safari windows linux macos android iphone ipad samsung galaxy google microsoft amazon apple \
backerei metzgerei gasthof werk boulangerie pharmacie panaderia farmacia panificio bakkerij piekarnia padaria bageri garage salon \
hotelbetriebe handwerk werkstatt filiale niederlassung standort \
squad tribe guild crew taskforce committee council board division unit \
chief officer operating executive president vice front desk reception manager package director engineer developer analyst assistant view page email send data production database primary secondary staging \
development release build job task step workflow policy process processing agent \
report reports summary quarterly monthly weekly annual final draft template project plan playlist \
hello delivery standard free overnight ground priority pickup chair lamp drive mat hose shoe bag kit pro plus mini ultra edition pack model series version \
garden office kitchen outdoor indoor wireless usb hdmi bluetooth keyboard mouse monitor cable charger \
stuhl tisch lampe gartenhaus modell schrank sofa bett regal chaise fauteuil canape silla mesa sillon tavolo sedia lampada \
stoel tafel krzeslo stol cadeira stuhl bord garn \
street road avenue town county republic kingdom \
council ministry agence societe generale travaux construcciones hermanos \
sohne freight shipping express airlines airways motors autohaus verein stiftung stadtwerke gemeinde";

/// Stems that occur inside words of scripts without spaces, or with endings.
pub(crate) const INSIDE: &[(&str, Cue)] = &[
    (
        "họten ονοματεπωνυμο ονομα επωνυμο фио прізвище ім'я фамилия отчество الاسم اسم שם ชื่อ 이름 氏名 姓名 お名前 聯絡人 联系人 収件人 收件人 お客様名 ご担当者 фамилия имя 성명 성함",
        Cue::NAME,
    ),
    (
        "電話 携帯 电话 手机 联系 拨打 致电 फोन मोबाइल दूरभाष телефон тел звоните моб 전화 휴대폰 연락처 手機 電郵電話 τηλ κιν โทร มือถือ טל נייד פלאפון هاتف الهاتف جوال الجوال موبايل تلفن",
        Cue::PHONE,
    ),
    ("カード 信用卡 银行卡 卡号", Cue::CARD),
    (
        "身份证 護照 护照 マイナンバー 個人番号 パスポート आधार 주민등록 身分證 身份證 身分证 個人編號 егн инн снилс паспорт рнокпп αμκα αφμ ประจำตัวประชาชน เลขประจำตัว תעודת זהות הרקם القومي الهوية",
        Cue::NATIONAL,
    ),
    ("注文 受注 订单 編號 编号 型番 品番 在庫 ऑर्डर 订单号 单号 番号 价格 価格 कीमत заказ", Cue::ID),
    ("バージョン 版本 संस्करण версия 버전", Cue::VERSION),
    ("メール 邮件 邮箱 電子郵件 ईमेल почта 이메일", Cue::EMAIL),
    (
        "住所 地址 पता адрес адреса 주소 العنوان عنوان διευθυνση כתובת ที่อยู่ проживаю проживает",
        Cue::ADDRESS,
    ),
    ("नाम 名前 名字 이름", Cue::BARE_NAME),
    ("客户 お客様 患者 担当者 作者 ग्राहक клиент 고객", Cue::ROLE),
    ("商品 产品 製品 उत्पाद", Cue::THING),
];
